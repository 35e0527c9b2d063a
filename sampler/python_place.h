// SPDX-License-Identifier: Apache-2.0
// Where the interpreter lies in another process, and what its code objects look like.
#pragma once

#include <cstdint>
#include <string>

#include "inject/core/python_layout.h"
#include "sampler/remote_layout.h"
#include "sampler/remote_memory.h"

namespace syncline {

struct PythonPlace {
  PythonLayout layout{};
  RemoteLayout remote{};
  uint64_t runtime = 0;  // _PyRuntime
  uint64_t code_type = 0;
  uint64_t str_type = 0;
  uint64_t bytes_type = 0;
  // In a code object.
  int16_t code_file = 0, code_name = 0, code_first_line = 0, code_table = 0, code_flags = 0;
};

// What of a code object is read to know it again: its type, and these members.
inline constexpr size_t kCodeHeadBytes = 144;
inline constexpr int16_t kLastCodeMember = 136;

enum class PythonSought : uint8_t {
  kFound,
  kNone,     // there is no interpreter in the process, or not yet
  kRefused,  // *why says what is the matter with it, for the user
};

// Looks through the files that the process has mapped. Reads nothing of its memory but the
// interpreter's own variables.
PythonSought FindPythonIn(int pid, RemoteMemory* memory, PythonPlace* place, std::string* why);

// The rest of `place`, where version, runtime and types are known; for tests too.
PythonSought DescribePython(uint16_t version, RemoteMemory* memory, PythonPlace* place,
                            std::string* why);

}  // namespace syncline
