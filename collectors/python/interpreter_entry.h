// SPDX-License-Identifier: Apache-2.0
// How code of ours gets to run inside Python: once, on its main thread, with the GIL, before the
// program's first line.
#pragma once

#include "collectors/python/interpreter.h"

namespace syncline::python {

// Calls `arrive` at the first such moment. Outside of hooks: calls the loader. Once a process; a
// fork's child of one that waited goes on waiting. False: there is no place to wait at.
bool AtFirstMoment(const Interpreter& interpreter, void (*arrive)());

}  // namespace syncline::python
