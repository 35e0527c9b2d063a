// SPDX-License-Identifier: Apache-2.0
// As object.__getattribute__ looks, in the order of type, dict, type; where it would call
// something, nothing is read. Dicts of objects are read entry by entry: a look-up by key might call
// the program's __eq__.
#include "collectors/python/attributes.h"

#include "collectors/python/innermost_frame.h"
#include "collectors/python/objects.h"
#include "inject/core/python_layout.h"

namespace syncline::python {
namespace {

constexpr uint32_t kFirstCollectsBetween = 0x30c;  // garbage, between instructions only
constexpr uint32_t kFirstWithoutDicts = 0x30b;     // an object may have its dict made when asked
constexpr int64_t kTypeSetDescriptor = 280;        // PyTypeObject.tp_descr_set
constexpr int64_t kMemberOfDescriptor = 40;        // PyMemberDescrObject.d_member
constexpr int64_t kTypeOfMember = 8;               // PyMemberDef.type, .offset
constexpr int64_t kOffsetOfMember = 16;
constexpr int kMostEntries = 4096;                  // of a dict that are looked at
constexpr int kObjectMember = 6, kSlotMember = 16;  // T_OBJECT, T_OBJECT_EX

bool g_are_known;
bool g_collects;  // garbage, when an object is made

Object* EntryOf(Object* dict, const Object* name) {
  Object* key;
  Object* value;
  ptrdiff_t at = 0;
  for (int i = 0; i < kMostEntries && g_api->PyDict_Next(dict, &at, &key, &value) != 0; ++i) {
    if (key == name) return value;
  }
  return nullptr;
}

// Null: it is empty, or no slot for an object.
Object* SlotOf(Object* object, const Object* descriptor) {
  const auto* member = ReadAt<const void*>(descriptor, kMemberOfDescriptor);
  const int type = ReadAt<int>(member, kTypeOfMember);
  if (type != kObjectMember && type != kSlotMember) return nullptr;
  return ReadAt<Object*>(object, ReadAt<ptrdiff_t>(member, kOffsetOfMember));
}

bool IsPlainValue(Object* value) {
  const Object* type = TypeOf(value);
  return value == g_api->none || type == g_api->long_type || type == g_api->bool_type ||
         type == g_api->float_type || type == g_api->unicode_type;
}

}  // namespace

void PrepareAttributes(uint32_t version) {
  g_collects = version >= kFirstWithoutDicts && version < kFirstCollectsBetween;
  const bool has_switch = g_api->PyGC_Disable != nullptr && g_api->PyGC_Enable != nullptr;
  g_are_known = AreFramesKnown() && (has_switch || !g_collects) &&
                g_api->_PyObject_GetDictPtr != nullptr && g_api->_PyType_Lookup != nullptr &&
                g_api->PyUnicode_InternFromString != nullptr &&
                g_api->PyUnicode_GetLength != nullptr &&
                g_api->PyLong_AsLongLongAndOverflow != nullptr && g_api->PyList_Size != nullptr &&
                g_api->PyList_GetItem != nullptr && g_api->PyDict_Size != nullptr;
}

bool AreObjectsKnown() { return g_are_known; }

Object* DictOf(Object* object) {
  const bool collects = g_collects && g_api->PyGC_Disable() != 0;
  Object** dict = g_api->_PyObject_GetDictPtr(object);
  if (collects) g_api->PyGC_Enable();
  return dict == nullptr ? nullptr : *dict;
}

Object* ReadAttribute(Object* object, const Object* name) {
  Object* type = TypeOf(object);
  Object* of_class = g_api->_PyType_Lookup(type, const_cast<Object*>(name));
  if (of_class != nullptr) {
    Object* its_type = TypeOf(of_class);
    if (its_type == g_api->member_descriptor_type) return SlotOf(object, of_class);
    if (ReadAt<const void*>(its_type, kTypeSetDescriptor) != nullptr) return nullptr;
  }
  Object* dict = DictOf(object);
  Object* own = dict == nullptr ? nullptr : EntryOf(dict, name);
  if (own != nullptr) return own;
  return of_class != nullptr && IsPlainValue(of_class) ? of_class : nullptr;
}

Object* Interned(const char* text) {
  Object* name = g_api->PyUnicode_InternFromString(text);
  if (name == nullptr) g_api->PyErr_Clear();
  return name;
}

}  // namespace syncline::python
