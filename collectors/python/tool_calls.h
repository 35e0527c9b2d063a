// SPDX-License-Identifier: Apache-2.0
// The program's own calls of sys.monitoring: the tool id that is ours looks free to it, and is free
// as soon as it asks for it.
#pragma once

#include "collectors/python/interpreter.h"

namespace syncline::python {

// Puts functions of ours before those of this module that take a tool id: into CPython's own table
// of them, so that the program sees no other objects. `give_up` makes the id free that is ours; it
// is called where the program's next call has it. With the GIL, as all below.
void WatchToolCalls(Object* monitoring, void (*give_up)());

// The id that is ours; -1: none.
void SetOurTool(int tool);
int OurTool();

// While it lives, calls are not the program's.
class OwnToolCalls {
 public:
  OwnToolCalls();
  ~OwnToolCalls();
  OwnToolCalls(const OwnToolCalls&) = delete;
  OwnToolCalls& operator=(const OwnToolCalls&) = delete;
};

}  // namespace syncline::python
