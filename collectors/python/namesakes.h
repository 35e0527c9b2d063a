// SPDX-License-Identifier: Apache-2.0
// Code that a tool made of a chosen function's, as torch.compile does: it is in no module's code,
// but bears the name, the file and the first line of what it was made of.
#pragma once

#include <cstring>

#include "collectors/python/chosen.h"
#include "collectors/python/interpreter.h"

namespace syncline::python {

// Byte offsets in a code object.
struct CodePlaces {
  int64_t name, file, first_line;
};
inline CodePlaces g_code_places;  // set once, before the rest
inline uint64_t g_chosen_names;   // a bit for each that a chosen function has; some share one

template <typename T>
T ReadFrom(const void* object, int64_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(T));
  return value;
}

// Names are compared by address: a tool takes over the text that it finds.
inline uint64_t BitOfName(const Object* code) {
  const auto name = ReadFrom<uint64_t>(code, g_code_places.name);
  return uint64_t{1} << (name * 0x9E3779B97F4A7C15ull >> 58);
}

// A chosen function has this code.
inline void NoteName(const Object* code) { g_chosen_names |= BitOfName(code); }

// False: it bears no chosen function's name.
inline bool MayBeNamesake(const Object* code) { return (g_chosen_names & BitOfName(code)) != 0; }

// The function that `code`, which is not watched, was made of; null: none. Remembers the answer.
// Under the GIL.
const Chosen* MeetNamesake(Object* code);

}  // namespace syncline::python
