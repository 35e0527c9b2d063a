// SPDX-License-Identifier: Apache-2.0
// Finds the program that a command names, and judges from its file how much of it can be recorded.
#pragma once

#include <string>

namespace syncline {

inline constexpr int kExitOurFailure = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

struct FoundProgram {
  std::string path;   // empty: not found
  int exit_code = 0;  // if not: kExitNotFound or kExitNotExecutable, as a shell would leave
  std::string error;  // if not: a sentence with what, why, what to do
};

// As execvp does: a name with a slash is a path, others are searched in `search_path` (null: the
// system's default).
FoundProgram FindProgram(const std::string& name, const char* search_path);

// What the kernel would not find when it runs the file at `path`: the interpreter that a script or
// an ELF file names. A sentence for the user, or "".
std::string MissingInterpreter(const std::string& path);

enum class Reach {
  kAll,           // the program and what it starts
  kChildrenOnly,  // only what it starts
  kNothing,       // it must run without us
};

struct Judgement {
  Reach reach = Reach::kAll;
  std::string why;  // unless kAll: one sentence with the reason and what still works
};

// Reads the file at `path`, of a script its interpreter. Judges "all" where the file cannot be
// read.
Judgement JudgeProgram(const std::string& path);

}  // namespace syncline
