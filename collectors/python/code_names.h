// SPDX-License-Identifier: Apache-2.0
// Names of functions before any of them is called. Before 3.11 code has no qualified name of its
// own, and its frame knows no function: the name follows from where the code stands in its module.
#pragma once

#include <string_view>

#include "collectors/python/interpreter.h"

namespace syncline::python {

// The __name__ of a frame's globals; empty: they have none.
std::string_view ModuleOf(Object* globals);

// Finds the functions in `code`, which is that of a module, or of a text that exec or eval runs,
// and remembers those that are chosen. `globals`: of its frame. Before it runs. Under the GIL, no
// exception set; leaves none. False: it has none, and no classes.
bool JudgeModule(Object* code, Object* globals);

// The same of the modules that are imported already: their functions, and those of their classes,
// also decorated ones where functools.wraps tells what they decorate.
void JudgeImported();

}  // namespace syncline::python
