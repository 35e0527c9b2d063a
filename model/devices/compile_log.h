// SPDX-License-Identifier: Apache-2.0
// What a framework's compiler did while the program ran: which functions, again for what reason,
// and where it could not go on.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>

namespace syncline {

enum class CompileKind : uint8_t {
  kFirst,   // a function for the first time
  kAgain,   // because what the code before was made for does not hold
  kFailed,  // and it runs as it is written
  kBreak    // the code ends at a line that cannot be compiled
};
inline constexpr size_t kCompileKinds = 4;
const char* CompileKindName(CompileKind kind);  // "compiled again"

struct CompileEvent {
  int32_t pid = 0;  // as the process sees itself
  CompileKind kind = CompileKind::kFirst;
  std::string file;
  uint32_t line = 0;
  std::string function;  // empty: not known
  std::string why;       // one line; empty: nothing is said
  uint64_t ns = 0;       // how long it took
};

// A log that a framework writes by itself into a directory, if a variable names the directory.
struct CompileLog {
  const char* variable;
  size_t option;  // in kOptions: a flag that asks for the log
  // Any bytes. The events of one file, in order.
  void (*read)(std::istream& file, const std::function<void(const CompileEvent&)>& event);
};

}  // namespace syncline
