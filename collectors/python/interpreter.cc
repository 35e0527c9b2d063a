// SPDX-License-Identifier: Apache-2.0
// Finding CPython's functions.
#include "collectors/python/interpreter.h"

#include <dlfcn.h>

#include "inject/core/python_version.h"

// Weak: the loader fills these in where the program is Python, or is linked to it, and leaves them
// null elsewhere. Asking by dlsym in every program would take memory of its heap for each name that
// is not there, and leave a message for its dlerror.
extern "C" {
__attribute__((weak)) int Py_IsInitialized();
__attribute__((weak)) int Py_AddPendingCall(int (*)(void*), void*);
__attribute__((weak)) const char* Py_GetVersion();
}

namespace syncline::python {
namespace {

Interpreter g_interpreter;
Api g_found;

template <typename T>
bool Find(void* handle, const char* name, T* out) {
  *out = reinterpret_cast<T>(dlsym(handle, name));
  return *out != nullptr;
}

bool FindIn(void* library, Interpreter* out) {
  out->handle = library;
  return Find(library, "Py_IsInitialized", &out->is_initialized) &&
         Find(library, "Py_AddPendingCall", &out->add_pending_call) &&
         Find(library, "Py_GetVersion", &out->version);
}

}  // namespace

const Interpreter* LinkedInterpreter() {
  if (Py_IsInitialized == nullptr || Py_AddPendingCall == nullptr || Py_GetVersion == nullptr)
    return nullptr;
  g_interpreter = {Py_IsInitialized, Py_AddPendingCall, Py_GetVersion, RTLD_DEFAULT};
  return &g_interpreter;
}

const Interpreter* FindInterpreter(const char* const* libraries, size_t count) {
  if (const Interpreter* linked = LinkedInterpreter()) return linked;
  for (size_t i = 0; i < count && libraries[i] != nullptr; ++i) {
    // It stays: it will hold functions of ours.
    void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library != nullptr && FindIn(library, &g_interpreter)) return &g_interpreter;
  }
  return nullptr;
}

uint32_t VersionOf(const Interpreter& interpreter) { return PythonVersion(interpreter.version()); }

const Api* LoadApi(const Interpreter& interpreter, const char** missing) {
#define SYNCLINE_PYTHON_FIND(Result, name, arguments)    \
  if (!Find(interpreter.handle, #name, &g_found.name)) { \
    *missing = #name;                                    \
    return nullptr;                                      \
  }
  SYNCLINE_PYTHON_FUNCTIONS(SYNCLINE_PYTHON_FIND)
#undef SYNCLINE_PYTHON_FIND
#define SYNCLINE_PYTHON_TRY(Result, name, arguments) Find(interpreter.handle, #name, &g_found.name);
  SYNCLINE_PYTHON_METHOD_FUNCTIONS(SYNCLINE_PYTHON_TRY)
#undef SYNCLINE_PYTHON_TRY
#define SYNCLINE_PYTHON_FIND_OBJECT(name, member)          \
  if (!Find(interpreter.handle, #name, &g_found.member)) { \
    *missing = #name;                                      \
    return nullptr;                                        \
  }
  SYNCLINE_PYTHON_OBJECTS(SYNCLINE_PYTHON_FIND_OBJECT)
#undef SYNCLINE_PYTHON_FIND_OBJECT
  return &g_found;
}

}  // namespace syncline::python
