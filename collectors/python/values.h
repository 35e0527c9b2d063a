// SPDX-License-Identifier: Apache-2.0
// Values of the program's objects as words: numbers, flags, short texts, what lists, tuples and
// dicts hold, and the form of arrays. No code of the program's runs.
#pragma once

#include "collectors/python/interpreter.h"
#include "inject/core/value_words.h"

namespace syncline::python {

// All below: under the GIL; leaves no exception, keeps nothing alive.

// A number, a flag, None, a text, which is cut where it is long, or the form of an array; else the
// name of its class.
void WriteFlat(Object* value, ValueWriter* out);

// Whether gradients are kept in the calling thread; nothing, where no library knows.
void WriteGradients(ValueWriter* out);

// Anything; what cannot be read by the name of its class.
void WriteValue(Object* value, ValueWriter* out);

}  // namespace syncline::python
