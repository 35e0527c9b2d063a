// SPDX-License-Identifier: Apache-2.0
// A method of Python's whose calls a collector is told of, each with the object whose method it is:
// whoever knows of such a method asks, and whoever sees calls of Python's functions tells.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

namespace syncline {

// What may be asked of an object, while nobody else changes it (under the interpreter's lock). No
// code of the program's runs, nothing is kept alive, no exception is left.
struct PythonObjects {
  // The name of its class; as long as that lives.
  const char* (*class_of)(const void* object);
  // The dict that it has in WatchedMethod::attribute; null: none.
  const void* (*dict_of)(const void* object);
  // The entry at `*at`, 0 in the beginning, or the next one behind it; `*at` moves behind what was
  // found. A key that is no text is "". False: there is none.
  bool (*next)(const void* dict, ptrdiff_t* at, std::string_view* key, const void** value);
};

struct WatchedMethod {
  const char* option;    // that asks for it, as one types it
  const char* module;    // where it is defined
  const char* qualname;  // in the module
  const char* attribute;
  // On the thread of the call, with the lock, outside of hooks. `self` lives until it ends.
  void (*begins)(const PythonObjects& python, const void* self);
  void (*ends)(const void* self);
};

// Written before any collector is started.
extern std::atomic<const WatchedMethod*> g_watched_method;

inline void WatchMethod(const WatchedMethod& method) {
  g_watched_method.store(&method, std::memory_order_release);
}

// Null: nobody asks.
inline const WatchedMethod* MethodToWatch() {
  return g_watched_method.load(std::memory_order_acquire);
}

}  // namespace syncline
