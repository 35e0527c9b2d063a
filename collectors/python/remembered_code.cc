// SPDX-License-Identifier: Apache-2.0
// A weak reference tells of the end of each piece of code.
#include "collectors/python/remembered_code.h"

#include <cstring>

namespace syncline::python {
namespace {

Object* g_gone;  // the reference to the code that ended last

// `self`: the address of code that has ended. Its reference is given back at the next one's end:
// here Python is still at work with it.
Object* OnCodeGone(Object* self, Object* const*, ptrdiff_t) {
  const Owned before(g_gone);
  g_gone = g_watched.Remove(static_cast<const Object*>(g_api->PyLong_AsVoidPtr(self)));
  return NewReference(g_api->none);
}
Method g_code_gone = {"syncline_code_gone", OnCodeGone, kFastCall, nullptr};

// Code of modules that are frozen into 3.12: it never ends, and wants no weak references then.
bool IsImmortal(const Object* object) {
  int32_t references;  // Py_REFCNT's lower half: Include/object.h, _Py_IsImmortal
  std::memcpy(&references, static_cast<const void*>(object), sizeof(references));
  return references < 0;
}

Object* ReferenceTo(Object* code) {
  const Owned address(g_api->PyLong_FromVoidPtr(code));
  const Owned gone(address ? g_api->PyCFunction_NewEx(&g_code_gone, address.get(), nullptr)
                           : nullptr);
  Object* reference = gone ? g_api->PyWeakref_NewRef(code, gone.get()) : nullptr;
  if (reference == nullptr) g_api->PyErr_Clear();
  return reference;
}

}  // namespace

bool Remember(Object* code, const Chosen* function) {
  if (WatchedCode* known = g_watched.Known(code)) {
    known->function = function;
    return true;
  }
  if (IsImmortal(code)) return g_watched.Add({code, nullptr, function});
  Owned reference(ReferenceTo(code));
  if (!reference || !g_watched.Add({code, reference.get(), function})) return false;
  reference.Release();
  return true;
}

}  // namespace syncline::python
