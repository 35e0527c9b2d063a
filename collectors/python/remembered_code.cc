// SPDX-License-Identifier: Apache-2.0
// A weak reference tells of the end of each piece of code.
#include "collectors/python/remembered_code.h"

#include <cstring>

#include "collectors/python/innermost_frame.h"
#include "collectors/python/parameters.h"

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

bool IsAwaited(Object* code) {
  constexpr long kAwaited = 0x0380;  // CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR
  long flags;
  return NumberOf(code, "co_flags", &flags) && (flags & kAwaited) != 0;
}

}  // namespace

bool Remember(Object* code, const Chosen* function) {
  WatchedCode watched = {code, nullptr, function};
  if (function != nullptr) {
    watched.parameters = ParametersOf(code, *function);
    watched.is_awaited = function->is_range && IsAwaited(code) && AreFramesKnown();
  }
  if (WatchedCode* known = g_watched.Known(code)) {
    watched.reference = known->reference;
    *known = watched;
    return true;
  }
  if (IsImmortal(code)) return g_watched.Add(watched);
  Owned reference(ReferenceTo(code));
  watched.reference = reference.get();
  if (!reference || !g_watched.Add(watched)) return false;
  reference.Release();
  return true;
}

}  // namespace syncline::python
