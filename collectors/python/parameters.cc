// SPDX-License-Identifier: Apache-2.0
// A code object says what its locals are called, the arguments first.
#include "collectors/python/parameters.h"

#include <cstring>

#include "collectors/python/attributes.h"
#include "collectors/python/innermost_frame.h"
#include "collectors/python/objects.h"
#include "inject/core/arena.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/text.h"
#include "inject/core/thread_log.h"

namespace syncline::python {
namespace {

constexpr long kVarArguments = 0x0004, kVarKeywords = 0x0008;  // CO_VARARGS, CO_VARKEYWORDS
constexpr long kGenerator = 0x0020, kIterableCoroutine = 0x0100, kAsyncGenerator = 0x0200;
constexpr int64_t kCellContent = 16;  // PyCellObject.ob_ref

bool IsNumber(Object* code, const char* attribute, long* out) {
  return NumberOf(code, attribute, out) && *out >= 0;
}

// Where the cell of a local of that name is; -1: it has none.
int32_t PlaceOfCell(Object* code, long locals, std::string_view name) {
  const Owned cells(AttributeOf(code, "co_cellvars"));
  const ptrdiff_t count = cells ? g_api->PyTuple_Size(cells.get()) : 0;
  for (ptrdiff_t i = 0; i < count; ++i) {
    if (TextOf(g_api->PyTuple_GetItem(cells.get(), i)) == name)
      return static_cast<int32_t>(locals + i);
  }
  return -1;
}

bool ReadArguments(Object* code, Parameters* out) {
  long flags, positional, keyword, locals;
  if (!IsNumber(code, "co_flags", &flags) || !IsNumber(code, "co_argcount", &positional) ||
      !IsNumber(code, "co_kwonlyargcount", &keyword) || !IsNumber(code, "co_nlocals", &locals))
    return false;
  const Owned names(AttributeOf(code, "co_varnames"));
  const ptrdiff_t all = positional + keyword + ((flags & kVarArguments) != 0 ? 1 : 0) +
                        ((flags & kVarKeywords) != 0 ? 1 : 0);
  if (!names || g_api->PyTuple_Size(names.get()) < all) return false;
  for (ptrdiff_t i = 0; i < all && i < static_cast<ptrdiff_t>(kMostArguments); ++i) {
    const std::string_view name = TextOf(g_api->PyTuple_GetItem(names.get(), i));
    Argument& argument = out->arguments[out->argument_count++];
    argument.name = ArenaCopy(name.data(), name.size());
    if (argument.name == nullptr) return false;
    argument.bytes = static_cast<uint32_t>(name.size());
    const int32_t cell = AreCellsApart() ? PlaceOfCell(code, locals, name) : -1;
    argument.place = cell >= 0 ? cell : static_cast<int32_t>(i);
  }
  const bool generates = (flags & (kGenerator | kAsyncGenerator)) != 0;
  out->has_result = !generates || (flags & kIterableCoroutine) != 0;
  return true;
}

const Argument* FindArgument(const Parameters& parameters, std::string_view name) {
  for (uint32_t i = 0; i < parameters.argument_count; ++i) {
    const Argument& one = parameters.arguments[i];
    if (std::string_view(one.name, one.bytes) == name) return &one;
  }
  return nullptr;
}

void TellNoArgument(const Chosen& function, std::string_view label, const char* why) {
  TextBuffer text;
  text.Add("--python-ranges: ").Add(function.name, function.bytes).Add(why);
  text.Add(label.data(), label.size());
  Log(LogLevel::kWarn, text.text());
}

bool ReadLabel(const Chosen& function, std::string_view name, Parameters* out) {
  CallLabel& label = out->labels[out->label_count];
  std::string_view rest = name;
  const Argument* argument = FindArgument(*out, NextPart(&rest));
  label = {name, 0, 0, {}};
  if (argument == nullptr) {
    TellNoArgument(function, name, " has no argument for the label ");
    return true;
  }
  label.place = argument->place;
  while (!rest.empty()) {
    TextBuffer part;
    const std::string_view text = NextPart(&rest);
    part.Add(text.data(), text.size());
    if (label.attributes == kMostParts - 1) {
      TellNoArgument(function, name, " has too many attributes in the label ");
      return true;
    }
    Object* interned = Interned(part.text());
    if (interned == nullptr) return false;
    label.names[label.attributes++] = interned;
  }
  ++out->label_count;
  return true;
}

bool ReadLabels(const Chosen& function, Parameters* out) {
  std::string_view labels = function.labels;
  for (std::string_view one = NextLabel(&labels); !one.empty(); one = NextLabel(&labels)) {
    if (out->label_count == kMostLabels || !ReadLabel(function, one, out)) return false;
  }
  return true;
}

bool AreAlike(const Parameters& a, const Parameters& b) {
  if (a.argument_count != b.argument_count || a.has_result != b.has_result) return false;
  for (uint32_t i = 0; i < a.argument_count; ++i) {
    const Argument& one = a.arguments[i];
    const Argument& other = b.arguments[i];
    if (one.place != other.place || std::strcmp(one.name, other.name) != 0) return false;
  }
  return true;
}

}  // namespace

const Parameters* ParametersOf(Object* code, const Chosen& function) {
  const bool has_signature = OptionNumber(OptionIndex("signatures")) != 0;
  if (!function.is_range || (function.labels.empty() && !has_signature) || !AreObjectsKnown())
    return nullptr;
  Parameters read = {};
  read.has_signature = has_signature;
  if (!ReadArguments(code, &read)) {
    CountLoss(kLoss_definition);
    return nullptr;
  }
  for (const Parameters* known = function.parameters; known != nullptr; known = known->next) {
    if (AreAlike(read, *known)) return known;
  }
  const size_t bytes =
      offsetof(Parameters, arguments) + read.argument_count * sizeof(*read.arguments);
  auto* kept = static_cast<Parameters*>(ArenaAllocate(bytes));
  if (kept == nullptr || !ReadLabels(function, &read)) {
    CountLoss(kLoss_definition);
    return nullptr;
  }
  read.next = function.parameters;
  std::memcpy(static_cast<void*>(kept), &read, bytes);
  function.parameters = kept;
  return kept;
}

Object* ArgumentOf(const void* frame, int32_t place) {
  auto* value = static_cast<Object*>(const_cast<void*>(LocalOf(frame, static_cast<size_t>(place))));
  if (value == nullptr || TypeOf(value) != g_api->cell_type) return value;
  return ReadAt<Object*>(value, kCellContent);
}

}  // namespace syncline::python
