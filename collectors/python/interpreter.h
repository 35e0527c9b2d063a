// SPDX-License-Identifier: Apache-2.0
// The functions of the CPython in this process, found by name: nothing is linked, no header of
// Python's is needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::python {

struct Object;  // PyObject

// PyMethodDef, and the form of the functions that we give to Python (METH_FASTCALL).
using Function = Object* (*)(Object* self, Object* const* arguments, ptrdiff_t count);
struct Method {
  const char* name;
  Function function;
  int flags;
  const char* doc;
};
inline constexpr int kFastCall = 0x0080;

// Without the GIL, any thread.
struct Interpreter {
  int (*is_initialized)();
  int (*add_pending_call)(int (*function)(void*), void* argument);
  const char* (*version)();  // "3.12.1 (main ..."
  void* handle;              // of the library, for dlsym
};

// What it exports and we use under the GIL (Include/: all of them are there from 3.8 on).
#define SYNCLINE_PYTHON_FUNCTIONS(F)                                                    \
  F(void, Py_IncRef, (Object*))                                                         \
  F(void, Py_DecRef, (Object*))                                                         \
  F(void, PyErr_Clear, ())                                                              \
  F(Object*, PySys_GetObject, (const char*))                                            \
  F(Object*, PyObject_GetAttrString, (Object*, const char*))                            \
  F(Object*, PyObject_CallMethod, (Object*, const char* name, const char* format, ...)) \
  F(Object*, PyObject_CallFunction, (Object*, const char* format, ...))                 \
  F(Object*, PyCFunction_NewEx, (Method*, Object * self, Object * module))              \
  F(long, PyLong_AsLong, (Object*))                                                     \
  F(const char*, PyUnicode_AsUTF8AndSize, (Object*, ptrdiff_t*))                        \
  F(Object*, PyEval_GetGlobals, ())                                                     \
  F(Object*, PyDict_GetItemString, (Object*, const char*))                              \
  F(Object*, PyLong_FromVoidPtr, (void*))                                               \
  F(void*, PyLong_AsVoidPtr, (Object*))                                                 \
  F(Object*, PyWeakref_NewRef, (Object*, Object * callback))                            \
  F(Object*, PyObject_Type, (Object*))                                                  \
  F(unsigned long, PyType_GetFlags, (Object*))                                          \
  F(ptrdiff_t, PyTuple_Size, (Object*))                                                 \
  F(Object*, PyTuple_GetItem, (Object*, ptrdiff_t))                                     \
  F(int, PyDict_Next, (Object*, ptrdiff_t*, Object**, Object**))                        \
  F(Object*, PyModule_GetDict, (Object*))                                               \
  F(Object*, PyEval_GetFrame, ())

// What not all versions export, and is asked for where objects of the program's are looked at.
#define SYNCLINE_PYTHON_METHOD_FUNCTIONS(F)                   \
  F(Object**, _PyObject_GetDictPtr, (Object*))                \
  F(Object*, PyUnicode_InternFromString, (const char*))       \
  F(void*, PyThreadState_Get, ())                             \
  F(int, PyGC_Disable, ())                                    \
  F(int, PyGC_Enable, ())                                     \
  F(Object*, _PyType_Lookup, (Object*, Object*))              \
  F(ptrdiff_t, PyUnicode_GetLength, (Object*))                \
  F(long long, PyLong_AsLongLongAndOverflow, (Object*, int*)) \
  F(ptrdiff_t, PyList_Size, (Object*))                        \
  F(Object*, PyList_GetItem, (Object*, ptrdiff_t))            \
  F(ptrdiff_t, PyDict_Size, (Object*))

#define SYNCLINE_PYTHON_OBJECTS(F)           \
  F(_Py_NoneStruct, none)                    \
  F(PyCFunction_Type, builtin_type)          \
  F(PyFunction_Type, function_type)          \
  F(PyStaticMethod_Type, static_method_type) \
  F(PyClassMethod_Type, class_method_type)   \
  F(PyProperty_Type, property_type)          \
  F(PyModule_Type, module_type)              \
  F(PyLong_Type, long_type)                  \
  F(PyFloat_Type, float_type)                \
  F(PyBool_Type, bool_type)                  \
  F(_Py_TrueStruct, true_object)             \
  F(PyUnicode_Type, unicode_type)            \
  F(PyCell_Type, cell_type)                  \
  F(PyMemberDescr_Type, member_descriptor_type)

struct Api {
#define SYNCLINE_PYTHON_MEMBER(Result, name, arguments) Result(*name) arguments;
  SYNCLINE_PYTHON_FUNCTIONS(SYNCLINE_PYTHON_MEMBER)
  SYNCLINE_PYTHON_METHOD_FUNCTIONS(SYNCLINE_PYTHON_MEMBER)  // null: it has none
#undef SYNCLINE_PYTHON_MEMBER
#define SYNCLINE_PYTHON_MEMBER(name, member) Object* member;
  SYNCLINE_PYTHON_OBJECTS(SYNCLINE_PYTHON_MEMBER)
#undef SYNCLINE_PYTHON_MEMBER
};

// Null: there is none in this process, as far as the loader has told when our library was loaded.
// Asks nobody: in the constructor.
const Interpreter* LinkedInterpreter();

// The same, and of a library that was opened later. Calls the loader; not in a hook.
const Interpreter* FindInterpreter(const char* const* libraries, size_t count);

// 0x30c for 3.12. 0: it does not say.
uint32_t VersionOf(const Interpreter& interpreter);

// Null: it lacks `*missing`. Under the GIL.
const Api* LoadApi(const Interpreter& interpreter, const char** missing);

}  // namespace syncline::python
