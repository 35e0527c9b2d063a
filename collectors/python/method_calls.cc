// SPDX-License-Identifier: Apache-2.0
// Dicts are read entry by entry: a look-up by key might call the program's `__eq__`.
#include "collectors/python/method_calls.h"

#include <cstring>

#include "collectors/python/innermost_frame.h"
#include "collectors/python/objects.h"
#include "inject/core/python_layout.h"

namespace syncline::python {
namespace {

constexpr int64_t kTypeOffset = 8;                 // PyObject.ob_type
constexpr int64_t kTypeNameOffset = 24;            // PyTypeObject.tp_name
constexpr unsigned long kIsText = 1ul << 28;       // Py_TPFLAGS_UNICODE_SUBCLASS
constexpr unsigned long kIsDict = 1ul << 29;       // Py_TPFLAGS_DICT_SUBCLASS
constexpr uint32_t kFirstCollectsBetween = 0x30c;  // garbage, between instructions only
constexpr uint32_t kFirstWithoutDicts = 0x30b;     // an object may have its dict made when asked

const Object* g_attribute;  // its name, interned: a reference of ours
ptrdiff_t g_place;          // where it stood in the last dict
bool g_collects;            // garbage, when an object is made

Object* ObjectOf(const void* object) { return static_cast<Object*>(const_cast<void*>(object)); }

unsigned long FlagsOf(const void* object) {
  return g_api->PyType_GetFlags(ReadAt<Object*>(object, kTypeOffset));
}

const char* ClassOf(const void* object) {
  const auto* name = ReadAt<const char*>(ReadAt<const void*>(object, kTypeOffset), kTypeNameOffset);
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

// Where an object's dict is made now, no garbage may be collected: that would run code of the
// program's.
Object* DictOf(Object* object) {
  const bool collects = g_collects && g_api->PyGC_Disable() != 0;
  Object** dict = g_api->_PyObject_GetDictPtr(object);
  if (collects) g_api->PyGC_Enable();
  return dict == nullptr ? nullptr : *dict;
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

bool FindNeeded(uint32_t version) {
  g_collects = version >= kFirstWithoutDicts && version < kFirstCollectsBetween;
  const bool has_switch = g_api->PyGC_Disable != nullptr && g_api->PyGC_Enable != nullptr;
  return AreFramesKnown() && g_api->_PyObject_GetDictPtr != nullptr && (has_switch || !g_collects);
}

}  // namespace

const PythonObjects kObjects = {ClassOf, DictOfAttribute, Next};

void PrepareMethodCalls(uint32_t version) {
  const WatchedMethod* method = MethodToWatch();
  if (method == nullptr) return;
  if (!FindNeeded(version) || g_api->PyUnicode_InternFromString == nullptr)
    return Log(LogLevel::kError, method->option,
               "records no calls of it: this Python's objects are not known");
  g_attribute = g_api->PyUnicode_InternFromString(method->attribute);
  if (g_attribute == nullptr) return g_api->PyErr_Clear();
  g_objects_are_known = true;
}

const void* FirstLocalOfThread(const void* code) {
  if (!g_objects_are_known) return nullptr;
  const void* frame = FrameOfThread(code);
  return frame == nullptr ? nullptr : FirstLocalOf(frame);
}

}  // namespace syncline::python
