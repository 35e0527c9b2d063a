// SPDX-License-Identifier: Apache-2.0
// Dicts are read entry by entry: a look-up by key might call the program's `__eq__`.
#include "collectors/python/method_calls.h"

#include <cstring>

#include "collectors/python/attributes.h"
#include "collectors/python/innermost_frame.h"
#include "collectors/python/objects.h"

namespace syncline::python {
namespace {

constexpr int64_t kTypeNameOffset = 24;       // PyTypeObject.tp_name
constexpr unsigned long kIsText = 1ul << 28;  // Py_TPFLAGS_UNICODE_SUBCLASS
constexpr unsigned long kIsDict = 1ul << 29;  // Py_TPFLAGS_DICT_SUBCLASS

const Object* g_attribute;  // its name, interned: a reference of ours
ptrdiff_t g_place;          // where it stood in the last dict

Object* ObjectOf(const void* object) { return static_cast<Object*>(const_cast<void*>(object)); }

unsigned long FlagsOf(const void* object) {
  return g_api->PyType_GetFlags(TypeOf(ObjectOf(object)));
}

const char* ClassOf(const void* object) {
  const auto* name = ReadAt<const char*>(TypeOf(ObjectOf(object)), kTypeNameOffset);
  const char* dot = std::strrchr(name, '.');  // of a class that is made in C
  return dot == nullptr ? name : dot + 1;
}

// What the object has under the name of `g_attribute`; null: nothing. Names of attributes are
// interned.
Object* AttributeIn(Object* dict) {
  Object* key;
  Object* value;
  ptrdiff_t at = g_place;
  if (g_api->PyDict_Next(dict, &at, &key, &value) != 0 && key == g_attribute) return value;
  ptrdiff_t next = 0;
  for (at = 0; g_api->PyDict_Next(dict, &next, &key, &value) != 0; at = next) {
    if (key != g_attribute) continue;
    g_place = at;
    return value;
  }
  return nullptr;
}

const void* DictOfAttribute(const void* object) {
  Object* own = DictOf(ObjectOf(object));
  Object* value = own == nullptr ? nullptr : AttributeIn(own);
  return value != nullptr && (FlagsOf(value) & kIsDict) != 0 ? value : nullptr;
}

bool Next(const void* dict, ptrdiff_t* at, std::string_view* key, const void** value) {
  Object* found_key;
  Object* found;
  if (g_api->PyDict_Next(ObjectOf(dict), at, &found_key, &found) == 0) return false;
  *key = (FlagsOf(found_key) & kIsText) != 0 ? TextOf(found_key) : std::string_view();
  *value = found;
  return true;
}

}  // namespace

const PythonObjects kObjects = {ClassOf, DictOfAttribute, Next};

void PrepareMethodCalls() {
  const WatchedMethod* method = MethodToWatch();
  if (method == nullptr) return;
  if (!AreObjectsKnown())
    return Log(LogLevel::kError, method->option,
               "records no calls of it: this Python's objects are not known");
  g_attribute = Interned(method->attribute);
  g_objects_are_known = g_attribute != nullptr;
}

const void* FirstLocalOfThread(const void* code) {
  if (!g_objects_are_known) return nullptr;
  const void* frame = FrameOfThread(code);
  return frame == nullptr ? nullptr : LocalOf(frame, 0);
}

}  // namespace syncline::python
