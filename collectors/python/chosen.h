// SPDX-License-Identifier: Apache-2.0
// Which functions of Python's are ranges, by the patterns of --python-ranges.
#pragma once

#include <cstdint>
#include <string_view>

#include "inject/core/log.h"
#include "inject/core/watched_method.h"

namespace syncline::python {

struct Parameters;
struct CallForms;

// A function whose calls are ranges, told to a collector that asks for them, or both. Two functions
// of one name are one of these, so that a program that makes the same function over and over takes
// no more memory.
struct Chosen {
  const char* name;  // "module.qualname", terminated, never freed
  uint32_t bytes;
  Chosen* next;  // of the same bucket
  const WatchedMethod* told = nullptr;
  bool is_range = true;
  std::string_view labels{};  // that its pattern names
  // Of its code; the forms of its signatures that were told. Changed under the GIL; null: none.
  mutable Parameters* parameters = nullptr;
  mutable CallForms* forms = nullptr;
};

// Whether there are any, and Python may be entered at all (--no-python).
bool AnyChosen();

// The function `qualname` of the module `module`; null: it is not chosen, or out of memory
// (counted). One thread at a time: callers hold the GIL. Keeps errno.
const Chosen* FindChosen(std::string_view module, std::string_view qualname);

// A line for each option that chooses functions: "--python-ranges records nothing: WHY", where
// `what` is " records nothing:".
void TellWhoChose(LogLevel level, const char* what, const char* why, const char* detail = "");

}  // namespace syncline::python
