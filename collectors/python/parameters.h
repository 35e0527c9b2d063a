// SPDX-License-Identifier: Apache-2.0
// The arguments of a chosen function's code: what they are called, where a frame has them, and
// which of them label its calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/python/chosen.h"
#include "collectors/python/interpreter.h"
#include "inject/core/labelled_patterns.h"

namespace syncline::python {

inline constexpr size_t kMostArguments = 48;  // that are looked at
inline constexpr size_t kMostParts = 6;       // of a label: an argument, and attributes

struct Argument {
  const char* name;  // terminated
  uint32_t bytes;
  // Among a frame's locals; of an argument that a function within uses, before Python 3.11, where
  // its cell is.
  int32_t place;
};

struct CallLabel {
  std::string_view name;  // "batch.size"
  int32_t place;          // of the argument, as Argument::place
  uint32_t attributes;
  const Object* names[kMostParts - 1];  // of the attributes: references of ours
};

// Of code, or of several pieces of code that are alike.
struct Parameters {
  Parameters* next;  // of the same function
  uint32_t argument_count;
  uint32_t label_count;
  bool has_signature;
  bool has_result;  // what it returns is its result: it is no generator
  CallLabel labels[kMostLabels];
  Argument arguments[kMostArguments];  // of what is kept, as many as there are
};

// Under the GIL, with no exception set; leaves none. Null: nothing is to be read of its calls, or
// there is no memory (counted).
const Parameters* ParametersOf(Object* code, const Chosen& function);

// The argument at that place of a frame that begins; null: it has no value.
Object* ArgumentOf(const void* frame, int32_t place);

}  // namespace syncline::python
