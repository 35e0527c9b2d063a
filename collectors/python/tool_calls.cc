// SPDX-License-Identifier: Apache-2.0
// One pair of functions for each of the module's, by the two forms in which CPython calls them.
#include "collectors/python/tool_calls.h"

#include <cstring>
#include <utility>

#include "collectors/python/objects.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

using OneArgument = Object* (*)(Object* self, Object* argument);
constexpr int kOneArgument = 0x0008;  // METH_O

// PyCFunctionObject (Include/cpython/methodobject.h), of builds with a GIL.
struct Builtin {
  uint64_t references;
  Object* type;
  Method* method;
};

struct Watched {
  const char* name;
  bool answers_none;  // of an id that nobody has; the others need the id
  void* real;         // of one of the two forms
};
Watched g_watched_calls[] = {
    {"use_tool_id", false, nullptr},       {"free_tool_id", true, nullptr},
    {"get_tool", true, nullptr},           {"clear_tool_id", true, nullptr},
    {"register_callback", false, nullptr}, {"get_events", false, nullptr},
    {"set_events", false, nullptr},        {"get_local_events", false, nullptr},
    {"set_local_events", false, nullptr},
};
constexpr size_t kWatchedCalls = sizeof(g_watched_calls) / sizeof(*g_watched_calls);

Object* g_module;  // of the main interpreter: another one's ids are its own
void (*g_give_up)();
int g_tool = -1;
int g_own_calls;

// True: the answer is None. Else Python's own function is to be called.
bool AnswersNone(const Watched& watched, const Object* self, Object* id) {
  // The module first: what follows is the main interpreter's, and another may have its own GIL.
  if (self != g_module || g_own_calls != 0 || g_tool < 0) return false;
  const long asked = g_api->PyLong_AsLong(id);
  if (asked == -1) g_api->PyErr_Clear();  // Python's own function says what is wrong
  if (asked != g_tool) return false;
  if (watched.answers_none) return true;
  const ErrnoKeeper keeper;
  const OwnToolCalls own;
  g_give_up();
  return false;
}

template <size_t index>
Object* WithOne(Object* self, Object* id) {
  const Watched& watched = g_watched_calls[index];
  if (AnswersNone(watched, self, id)) return NewReference(g_api->none);
  return reinterpret_cast<OneArgument>(watched.real)(self, id);
}

template <size_t index>
Object* WithMany(Object* self, Object* const* arguments, ptrdiff_t count) {
  const Watched& watched = g_watched_calls[index];
  if (count > 0 && AnswersNone(watched, self, arguments[0])) return NewReference(g_api->none);
  return reinterpret_cast<Function>(watched.real)(self, arguments, count);
}

template <size_t index>
void Replace(Method* method) {
  void* const one = reinterpret_cast<void*>(&WithOne<index>);
  void* const many = reinterpret_cast<void*>(&WithMany<index>);
  g_watched_calls[index].real = reinterpret_cast<void*>(method->function);
  method->function = reinterpret_cast<Function>(method->flags == kOneArgument ? one : many);
}

// Null: this Python has none of that name, or not as expected.
Method* MethodOf(Object* module, const char* name) {
  const Owned function(AttributeOf(module, name));
  if (!function) return nullptr;
  const Owned type(g_api->PyObject_Type(function.get()));
  if (type.get() != g_api->builtin_type) return nullptr;
  Method* method = reinterpret_cast<Builtin*>(function.get())->method;
  const bool known = method->flags == kOneArgument || method->flags == kFastCall;
  return known && std::strcmp(method->name, name) == 0 ? method : nullptr;
}

template <size_t... indices>
void ReplaceAll(Object* module, std::index_sequence<indices...>) {
  const auto replace = [module](const char* name, void (*put)(Method*)) {
    if (Method* method = MethodOf(module, name)) put(method);
  };
  (replace(g_watched_calls[indices].name, &Replace<indices>), ...);
}

}  // namespace

void WatchToolCalls(Object* monitoring, void (*give_up)()) {
  g_module = monitoring;
  g_give_up = give_up;
  ReplaceAll(monitoring, std::make_index_sequence<kWatchedCalls>());
}

void SetOurTool(int tool) { g_tool = tool; }
int OurTool() { return g_tool; }

OwnToolCalls::OwnToolCalls() { ++g_own_calls; }
OwnToolCalls::~OwnToolCalls() { --g_own_calls; }

}  // namespace syncline::python
