// SPDX-License-Identifier: Apache-2.0
// Values of the program's objects as words: numbers, flags, short texts, what lists, tuples and
// dicts hold, and the form of arrays. No code of the program's runs.
#pragma once

#include "collectors/python/interpreter.h"
#include "inject/core/value_words.h"

namespace syncline::python {

// All below: under the GIL; leaves no exception, keeps nothing alive.

// A number, a flag, None or a text, which is cut where it is long. False: it is nothing of these,
// or beyond 64 bits: nothing was written.
bool WriteScalar(Object* value, ValueWriter* out);

// The name of its class.
void WriteClass(Object* value, ValueWriter* out);

// Whether gradients are kept in the calling thread; nothing, where no library knows.
void WriteGradients(ValueWriter* out);

// Anything; what cannot be read by the name of its class.
void WriteValue(Object* value, ValueWriter* out);

}  // namespace syncline::python
