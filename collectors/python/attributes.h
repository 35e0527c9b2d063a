// SPDX-License-Identifier: Apache-2.0
// Attributes of the program's objects, read where they stand: no descriptor and no __getattr__ of
// the program's is called.
#pragma once

#include "collectors/python/interpreter.h"

namespace syncline::python {

// Once, with the GIL.
void PrepareAttributes(uint32_t version);
// False: objects of this version cannot be asked. Nothing below is called then.
bool AreObjectsKnown();

// The dict that an object has of its own; null: none. In some versions it is made now; no garbage
// is collected then, for that would run code of the program's.
Object* DictOf(Object* object);

// What the object holds under an interned name: in its dict or a slot, else a plain value of its
// class's. Null: it has none such, or only a call would tell. Borrowed.
Object* ReadAttribute(Object* object, const Object* name);

// An interned name, a reference of ours; null: there is no memory. Leaves no exception.
Object* Interned(const char* text);

}  // namespace syncline::python
