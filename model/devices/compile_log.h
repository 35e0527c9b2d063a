// SPDX-License-Identifier: Apache-2.0
// What a framework's compiler did while the program ran: which functions, again for what reason,
// where it could not go on, and what it made of them.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace syncline {

enum class CompileKind : uint8_t {
  kFirst,    // a function for the first time
  kAgain,    // because what the code before was made for does not hold
  kFailed,   // and it runs as it is written
  kBreak,    // the code ends at a line that cannot be compiled
  kBackward  // the gradients of a function, which a compiler may do later
};
inline constexpr size_t kCompileKinds = 5;
const char* CompileKindName(CompileKind kind);  // "compiled again"

// A part of a compilation, named by the compiler. Nanoseconds since 1970, by the machine's clock.
struct CompilePhase {
  std::string name;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool operator==(const CompilePhase&) const = default;
};

struct CompileEvent {
  int32_t pid = 0;  // as the process sees itself; 0: the log does not tell
  CompileKind kind = CompileKind::kFirst;
  std::string file;
  uint32_t line = 0;
  std::string function;  // empty: not known
  std::string why;       // one line; empty: nothing is said
  uint64_t ns = 0;       // how long it took
  std::string id{};      // as the compiler numbers it, "3/1"; empty: it does not
  std::string label{};   // the same in words: "frame 3, recompile 1"
  // As a CompilePhase; 0: not known.
  uint64_t begin_ns = 0;
  // By begin, of two that begin together the outer one first; they nest.
  std::vector<CompilePhase> phases{};
};

enum class CompiledKind : uint8_t {
  kKernel,    // the compiler generated it
  kLibrary,   // it calls a library instead, which is what it is to do
  kFallback,  // it has no code for that, and calls what would run without it
};
inline constexpr size_t kCompiledKinds = 3;
const char* CompiledKindName(CompiledKind kind);  // "generated"

// A line of the program.
struct CompiledLine {
  std::string file;
  uint32_t line = 0;
  std::string function;
  auto operator<=>(const CompiledLine&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What a compiled graph runs.
struct CompiledPart {
  int32_t pid = 0;  // as in CompileEvent
  CompiledKind kind = CompiledKind::kKernel;
  std::string graph;  // the compilation's id, and more where it made several: "3/1 backward"
  std::string name;   // of the kernel, as devices tell it; or of what is called
  std::vector<std::string> operators{};  // of the framework; empty: not known
  std::vector<CompiledLine> lines{};     // in the order of the graph; empty: not known
};

// Takes what a log tells, in order.
struct CompileReader {
  std::function<void(const CompileEvent&)> event;
  std::function<void(const CompiledPart&)> part;
  std::function<void(uint64_t)> left_out;  // so many entries were more than is kept
};

// A log that a framework writes by itself into a directory, if a variable names the directory.
struct CompileLog {
  const char* variable;
  size_t option;      // in kOptions: a flag that asks for the log
  const char* words;  // what people call the compiler
  // Any bytes of one file.
  void (*read)(std::istream& file, const CompileReader& reader);
};

}  // namespace syncline
