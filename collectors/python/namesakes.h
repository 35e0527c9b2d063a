// SPDX-License-Identifier: Apache-2.0
// Code that a tool made of a chosen function's, as torch.compile does: it is in no module's code,
// but bears the name, the file and the first line of what it was made of, and runs in its module.
#pragma once

#include <string_view>

#include "collectors/python/chosen.h"
#include "collectors/python/interpreter.h"
#include "inject/core/python_layout.h"

namespace syncline::python {

inline PythonLayout g_layout;  // set once, before the rest
// A bit for each name and first line that a chosen function has; some share one.
inline uint64_t g_chosen_starts[64];

// Names are compared by address: a tool takes over the text that it finds.
inline uint64_t StartOf(const Object* code) {
  return (ReadAt<uint64_t>(code, g_layout.code_name) +
          ReadAt<uint32_t>(code, g_layout.code_first_line)) *
         0x9E3779B97F4A7C15ull;
}

// False: no chosen function has this code's name and first line.
inline bool MayBeNamesake(const Object* code) {
  const uint64_t start = StartOf(code);
  return (g_chosen_starts[start >> 58] >> (start >> 52 & 63) & 1) != 0;
}

// The rest under the GIL, with no exception set; `module`: the __name__ of where it runs.

// The chosen `function` has this code.
void NoteOriginal(const Object* code, std::string_view module, const Chosen* function);

// The function that `code`, which is not watched, was made of; null: none. Remembers the answer.
const Chosen* MeetNamesake(Object* code, std::string_view module);

}  // namespace syncline::python
