// SPDX-License-Identifier: Apache-2.0
// Builtin types and what is made of them are read by functions of Python's that ask no method.
#include "collectors/python/values.h"

#include <cstring>

#include "collectors/python/attributes.h"
#include "collectors/python/objects.h"
#include "inject/core/array_reader.h"
#include "inject/core/python_layout.h"

namespace syncline::python {
namespace {

constexpr size_t kMostLabelText = 64;     // bytes
constexpr size_t kMostText = 256;         // of an input
constexpr ptrdiff_t kMostUnicode = 4096;  // characters of a text that is asked for its bytes
constexpr ptrdiff_t kMostItems = 16;
constexpr int kMostDeep = 4;
constexpr int kMostBases = 8;
constexpr int64_t kBaseOffset = 256;   // PyTypeObject.tp_base
constexpr int64_t kFlagsOffset = 168;  // PyTypeObject.tp_flags
constexpr int64_t kNameOffset = 24;    // PyTypeObject.tp_name
constexpr int64_t kFloatOffset = 16;   // PyFloatObject.ob_fval
constexpr unsigned long kIsHeapType = 1ul << 9;
constexpr unsigned long kIsLong = 1ul << 24;
constexpr unsigned long kIsList = 1ul << 25;
constexpr unsigned long kIsTuple = 1ul << 26;
constexpr unsigned long kIsUnicode = 1ul << 28;
constexpr unsigned long kIsDictType = 1ul << 29;
constexpr unsigned long kScalars = kIsLong | kIsUnicode;
constexpr unsigned long kBuiltins = kScalars | kIsList | kIsTuple | kIsDictType;

const Object* g_array_class;  // made in C, so that it stays
Object* g_module_word;        // under the GIL; stays

unsigned long FlagsOfType(const Object* type) { return ReadAt<unsigned long>(type, kFlagsOffset); }

const char* NameOfType(const Object* type) {
  const auto* name = ReadAt<const char*>(type, kNameOffset);
  const char* dot = std::strrchr(name, '.');
  return dot == nullptr ? name : dot + 1;
}

bool IsNameOfArrays(const Object* type, const ArrayReader& reader) {
  if ((FlagsOfType(type) & kIsHeapType) != 0) return false;
  const auto* name = ReadAt<const char*>(type, kNameOffset);
  for (const char* const* one = reader.classes; *one != nullptr; ++one) {
    if (std::strcmp(name, *one) == 0) return true;
  }
  return false;
}

bool IsArray(const Object* type, const ArrayReader& reader) {
  for (int i = 0; type != nullptr && i < kMostBases; ++i) {
    if (type == g_array_class) return true;
    if (g_array_class == nullptr && IsNameOfArrays(type, reader)) {
      g_array_class = type;
      return true;
    }
    type = ReadAt<const Object*>(type, kBaseOffset);
  }
  return false;
}

bool WriteArray(Object* value, ValueWriter* out) {
  const ArrayReader* reader = g_array_reader.load(std::memory_order_acquire);
  ArrayFacts facts;
  if (reader == nullptr || !IsArray(TypeOf(value), *reader) || !reader->read(value, &facts))
    return false;
  out->Head(ValueForm::kArray, facts.dims, facts.needs_gradient ? 1 : 0);
  out->Name(ValueForm::kText, facts.dtype);
  out->Name(ValueForm::kText, facts.device);
  out->Size(static_cast<uint64_t>(int64_t{facts.device_number}));
  for (size_t i = 0; i < facts.dims; ++i) out->Size(static_cast<uint64_t>(facts.sizes[i]));
  return true;
}

bool IsNamed(const Object* type, const char* name) {
  return (FlagsOfType(type) & kIsHeapType) == 0 &&
         std::strcmp(ReadAt<const char*>(type, kNameOffset), name) == 0;
}

// What stands for a type of elements or a device.
bool WriteArrayWord(Object* value, ValueWriter* out) {
  const ArrayReader* reader = g_array_reader.load(std::memory_order_acquire);
  if (reader == nullptr) return false;
  const Object* type = TypeOf(value);
  const char* dtype;
  ArrayFacts facts;
  if (IsNamed(type, reader->type_class) && reader->read_type(value, &dtype)) {
    out->Name(ValueForm::kArrayType, dtype);
    return true;
  }
  if (!IsNamed(type, reader->device_class) || !reader->read_device(value, &facts)) return false;
  out->Name(ValueForm::kArrayDevice, facts.device);
  out->Size(static_cast<uint64_t>(int64_t{facts.device_number}));
  return true;
}

// Of a class that is made of a builtin one, which has that flag, too.
bool IsDerived(const Object* type) {
  const unsigned long builtin = FlagsOfType(type) & kBuiltins;
  if (builtin == 0 || type == g_api->bool_type) return false;
  const auto* base = ReadAt<const Object*>(type, kBaseOffset);
  return base != nullptr && (FlagsOfType(base) & builtin) != 0;
}

// Of the class, without its name; empty: not known.
std::string_view ModuleOf(Object* value) {
  const Object* type = TypeOf(value);
  if ((FlagsOfType(type) & kIsHeapType) == 0) {
    const auto* name = ReadAt<const char*>(type, kNameOffset);
    const char* dot = std::strrchr(name, '.');
    return dot == nullptr ? std::string_view()
                          : std::string_view(name, static_cast<size_t>(dot - name));
  }
  if (g_module_word == nullptr) g_module_word = Interned("__module__");
  if (g_module_word == nullptr) return {};
  Object* module = g_api->_PyType_Lookup(const_cast<Object*>(type), g_module_word);
  return module != nullptr && TypeOf(module) == g_api->unicode_type ? TextOf(module)
                                                                    : std::string_view();
}

void WriteDerived(Object* value, ValueWriter* out) {
  out->Name(ValueForm::kClass, NameOfType(TypeOf(value)));
  out->Name(ValueForm::kText, ModuleOf(value));
}

// Empty, and `*is_long`: there is more of it than is looked at.
std::string_view ShortText(Object* text, bool* is_long) {
  *is_long = g_api->PyUnicode_GetLength(text) > kMostUnicode;
  return *is_long ? std::string_view() : TextOf(text);
}

bool WriteInteger(Object* value, ValueWriter* out) {
  int overflow = 0;
  const long long number = g_api->PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  out->Number(ValueForm::kInt, static_cast<uint64_t>(number));
  return true;
}

// False: it is nothing of these, or beyond 64 bits: nothing was written.
bool WriteScalar(Object* value, size_t most_text, ValueWriter* out) {
  const Object* type = TypeOf(value);
  if (value == g_api->none) {
    out->Head(ValueForm::kNone);
    return true;
  }
  if (type == g_api->bool_type) {
    out->Head(ValueForm::kBool, value == g_api->true_object ? 1 : 0);
    return true;
  }
  if (type == g_api->float_type) {
    out->Number(ValueForm::kFloat, ReadAt<uint64_t>(value, kFloatOffset));
    return true;
  }
  const unsigned long flags = FlagsOfType(type);
  if ((flags & kIsLong) != 0) return WriteInteger(value, out);
  if ((flags & kIsUnicode) == 0) return false;
  bool is_long;
  const std::string_view text = ShortText(value, &is_long);
  if (is_long || text.data() == nullptr) return false;  // what is no UTF-8 is no text either
  out->Text(ValueForm::kText, text, most_text);
  return true;
}

void WriteClass(Object* value, ValueWriter* out) {
  out->Name(ValueForm::kOther, NameOfType(TypeOf(value)));
}

void WriteItems(ValueForm form, Object* list, ptrdiff_t size, Object* (*item)(Object*, ptrdiff_t),
                int depth, ValueWriter* out);
void WriteDict(Object* dict, int depth, ValueWriter* out);

void WriteDeep(Object* value, int depth, ValueWriter* out) {
  if (out->cut()) return;
  const bool is_told = depth < kMostDeep || (FlagsOfType(TypeOf(value)) & kScalars) != 0;
  if (is_told && IsDerived(TypeOf(value))) WriteDerived(value, out);
  if (WriteScalar(value, kMostText, out) || WriteArray(value, out)) return;
  const unsigned long flags = FlagsOfType(TypeOf(value));
  if (depth < kMostDeep) {
    if ((flags & kIsList) != 0) {
      return WriteItems(ValueForm::kList, value, g_api->PyList_Size(value), g_api->PyList_GetItem,
                        depth, out);
    }
    if ((flags & kIsTuple) != 0) {
      return WriteItems(ValueForm::kTuple, value, g_api->PyTuple_Size(value),
                        g_api->PyTuple_GetItem, depth, out);
    }
    if ((flags & kIsDictType) != 0) return WriteDict(value, depth, out);
  }
  if (!WriteArrayWord(value, out)) WriteClass(value, out);
}

void WriteItems(ValueForm form, Object* list, ptrdiff_t size, Object* (*item)(Object*, ptrdiff_t),
                int depth, ValueWriter* out) {
  const ptrdiff_t told = size < kMostItems ? size : kMostItems;
  out->Head(form, static_cast<uint64_t>(size), static_cast<uint64_t>(told));
  for (ptrdiff_t i = 0; i < told; ++i) WriteDeep(item(list, i), depth + 1, out);
}

void WriteKey(Object* key, ValueWriter* out) {
  bool is_long = false;
  if (TypeOf(key) == g_api->unicode_type) {
    const std::string_view text = ShortText(key, &is_long);
    return out->Name(ValueForm::kText, is_long ? "(long)" : text);
  }
  if (!WriteScalar(key, kMostLabelText, out)) WriteClass(key, out);
}

void WriteDict(Object* dict, int depth, ValueWriter* out) {
  const ptrdiff_t size = g_api->PyDict_Size(dict);
  const ptrdiff_t told = size < kMostItems ? size : kMostItems;
  out->Head(ValueForm::kDict, static_cast<uint64_t>(size), static_cast<uint64_t>(told));
  ptrdiff_t at = 0;
  Object* key;
  Object* value;
  for (ptrdiff_t i = 0; i < told && g_api->PyDict_Next(dict, &at, &key, &value) != 0; ++i) {
    WriteKey(key, out);
    WriteDeep(value, depth + 1, out);
  }
}

}  // namespace

void WriteFlat(Object* value, ValueWriter* out) {
  if (!WriteScalar(value, kMostLabelText, out) && !WriteArray(value, out)) WriteClass(value, out);
}

void WriteGradients(ValueWriter* out) {
  const ArrayReader* reader = g_array_reader.load(std::memory_order_acquire);
  bool on;
  if (reader != nullptr && reader->gradients(&on)) out->Head(ValueForm::kGradients, on ? 1 : 0);
}

void WriteValue(Object* value, ValueWriter* out) { WriteDeep(value, 0, out); }

}  // namespace syncline::python
