// SPDX-License-Identifier: Apache-2.0
// Python's objects, as code of ours handles them under the GIL.
#pragma once

#include <string_view>

#include "collectors/python/interpreter.h"
#include "inject/core/python_layout.h"

namespace syncline::python {

// Set once, before anything else of this file is used.
inline const Api* g_api;

// A reference that is given back.
class Owned {
 public:
  explicit Owned(Object* object) : object_(object) {}
  ~Owned() {
    if (object_ != nullptr) g_api->Py_DecRef(object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void Take(Object* object) {
    if (object_ != nullptr) g_api->Py_DecRef(object_);
    object_ = object;
  }
  Object* Release() {
    Object* object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  Object* object_;
};

// Borrowed.
inline Object* TypeOf(const Object* object) {
  constexpr int64_t kTypeOffset = 8;  // PyObject.ob_type
  return ReadAt<Object*>(object, kTypeOffset);
}

inline Object* NewReference(Object* object) {
  g_api->Py_IncRef(object);
  return object;
}

// Null, and no exception set: it has no such attribute.
inline Object* AttributeOf(Object* object, const char* name) {
  Object* attribute = g_api->PyObject_GetAttrString(object, name);
  if (attribute == nullptr) g_api->PyErr_Clear();
  return attribute;
}

// Empty: it is no str. As long as the object lives.
inline std::string_view TextOf(Object* text) {
  ptrdiff_t bytes = 0;
  const char* data = text == nullptr ? nullptr : g_api->PyUnicode_AsUTF8AndSize(text, &bytes);
  if (data == nullptr) {
    g_api->PyErr_Clear();
    return {};
  }
  return {data, static_cast<size_t>(bytes)};
}

// False: there is none. No number that is asked for is -1.
inline bool NumberOf(Object* object, const char* attribute, long* out) {
  const Owned number(AttributeOf(object, attribute));
  *out = number ? g_api->PyLong_AsLong(number.get()) : -1;
  const bool good = *out != -1;
  if (!good) g_api->PyErr_Clear();
  return good;
}

}  // namespace syncline::python
