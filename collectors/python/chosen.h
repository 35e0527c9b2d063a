// SPDX-License-Identifier: Apache-2.0
// Which functions of Python's are ranges, by the patterns of --python-ranges.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline::python {

// A function that is a range. Two functions of one name are one of these, so that a program that
// makes the same function over and over takes no more memory.
struct Chosen {
  const char* name;  // "module.qualname", terminated, never freed
  uint32_t bytes;
  Chosen* next;  // of the same bucket
};

// Whether there are patterns, and Python may be entered at all (--no-python).
bool AnyChosen();

// The function `qualname` of the module `module`; null: it is no range, or out of memory (counted).
// One thread at a time: callers hold the GIL. Keeps errno.
const Chosen* FindChosen(std::string_view module, std::string_view qualname);

}  // namespace syncline::python
