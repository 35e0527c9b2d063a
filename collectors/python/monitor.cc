// SPDX-License-Identifier: Apache-2.0
// Callbacks of sys.monitoring. A function is judged where it begins for the first time: what is not
// chosen is told to Python once and costs nothing any more.
#include "collectors/python/monitor.h"

#include <string_view>

#include "collectors/python/chosen.h"
#include "collectors/python/innermost_frame.h"
#include "collectors/python/remembered_code.h"
#include "collectors/python/tool_calls.h"
#include "collectors/python/watched_calls.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

// 0 to 2 and 5 belong to debuggers, coverage, profilers and optimisers. Programs that want one of
// those that belong to nobody look from below, so we begin above, and give up what one asks for.
constexpr int kTools[] = {4, 3};
constexpr long kHasOwnLocals = 0x0001;  // CO_OPTIMIZED: of a function, not of a class or a module

Object* g_monitoring;  // a reference of ours, as the next two
Object* g_set_local_events;
Object* g_disable;
int g_local_events;

Object* OnStart(Object*, Object* const* arguments, ptrdiff_t);
Object* OnResume(Object*, Object* const* arguments, ptrdiff_t);
Object* OnYield(Object*, Object* const* arguments, ptrdiff_t);
Object* OnReturn(Object*, Object* const* arguments, ptrdiff_t);
Object* OnUnwind(Object*, Object* const* arguments, ptrdiff_t);

struct Event {
  const char* name;
  Method method;
  bool everywhere;  // asked for all code: of what begins, and of what Python has for no single one
  int number = 0;
};
Event g_events[] = {
    {"PY_START", {"syncline_start", OnStart, kFastCall, nullptr}, true},
    {"PY_THROW", {"syncline_throw", OnResume, kFastCall, nullptr}, true},
    {"PY_UNWIND", {"syncline_unwind", OnUnwind, kFastCall, nullptr}, true},
    {"PY_RESUME", {"syncline_resume", OnResume, kFastCall, nullptr}, false},
    {"PY_RETURN", {"syncline_return", OnReturn, kFastCall, nullptr}, false},
    {"PY_YIELD", {"syncline_yield", OnYield, kFastCall, nullptr}, false},
};

// Of what callbacks return. From 3.12 on nobody counts None's references.
Object* None() { return g_api->none; }

const void* FrameOfWatched(const WatchedCode& watched) {
  return __builtin_expect(IsDetailed(watched) && AreFramesKnown(), 0) ? FrameOfThread(watched.code)
                                                                      : nullptr;
}

const void* SelfOfWatched(const WatchedCode& watched) {
  return SelfOfThread(*watched.function, watched.code);
}

bool IsFunction(Object* code) {
  long flags;
  return NumberOf(code, "co_flags", &flags) && (flags & kHasOwnLocals) != 0;
}

// The function whose frame is the innermost one. Null: it is none of ours.
const Chosen* Judge(Object* code) {
  if (!IsFunction(code)) return nullptr;
  Object* globals = g_api->PyEval_GetGlobals();  // borrowed, as the name
  Object* module = globals == nullptr ? nullptr : g_api->PyDict_GetItemString(globals, "__name__");
  const Owned qualname(AttributeOf(code, "co_qualname"));
  const std::string_view name = TextOf(qualname.get());
  return name.empty() ? nullptr : FindChosen(TextOf(module), name);
}

bool SetLocalEvents(Object* code, int events) {
  const OwnToolCalls own;
  const Owned done(
      g_api->PyObject_CallFunction(g_set_local_events, "iOi", OurTool(), code, events));
  if (!done) g_api->PyErr_Clear();
  return static_cast<bool>(done);
}

// Both are needed: the events of the function's other ends, and what it is at the next call.
bool Watch(Object* code, const Chosen& function) {
  if (SetLocalEvents(code, g_local_events) && Remember(code, &function)) return true;
  g_api->PyErr_Clear();
  return false;
}

template <typename... Arguments>
void Call(const char* name, const char* format, Arguments... arguments) {
  const OwnToolCalls own;
  const Owned done(g_api->PyObject_CallMethod(g_monitoring, name, format, arguments...));
  if (!done) g_api->PyErr_Clear();
}

// Leaves nothing with the id, which another one may take: freeing it does not, in all versions.
void StopMonitoring() {
  const int tool = OurTool();
  Call("set_events", "ii", tool, 0);
  g_watched.ForEach([](const WatchedCode& watched) {
    if (watched.function != nullptr) SetLocalEvents(const_cast<Object*>(watched.code), 0);
  });
  for (const Event& event : g_events)
    Call("register_callback", "iiO", tool, event.number, g_api->none);
  Call("free_tool_id", "i", tool);
  SetOurTool(-1);
}

Object* Begin(const WatchedCode& watched) {
  BeginWatched(watched, FrameOfWatched(watched), SelfOfWatched(watched));
  return None();
}

// Once for each function of the program, and again where the program calls restart_events.
__attribute__((noinline)) Object* MeetFunction(Object* code) {
  const ErrnoKeeper keeper;
  const Chosen* function = Judge(code);
  if (function == nullptr) return NewReference(g_disable);
  if (Watch(code, *function)) return Begin(*g_watched.FindWatched(code));
  TellWhoChose(LogLevel::kError, " records nothing from here on:", "Python refused to watch",
               function->name);
  StopMonitoring();
  return NewReference(g_disable);
}

Object* OnStart(Object*, Object* const* arguments, ptrdiff_t) {
  const WatchedCode* watched = g_watched.FindWatched(arguments[0]);
  return watched == nullptr ? MeetFunction(arguments[0]) : Begin(*watched);
}

// Also for functions that are not ours, where an exception passes: Python knows no place to switch
// that off.
Object* OnResume(Object*, Object* const* arguments, ptrdiff_t) {
  if (const WatchedCode* watched = g_watched.FindWatched(arguments[0]))
    ResumeWatched(*watched, FrameOfWatched(*watched), SelfOfWatched(*watched));
  return None();
}

Object* OnYield(Object*, Object* const* arguments, ptrdiff_t) {
  if (const WatchedCode* watched = g_watched.FindWatched(arguments[0]))
    PauseWatched(*watched, SelfOfWatched(*watched));
  return None();
}

Object* OnEnd(const Object* code, Object* result) {
  if (const WatchedCode* watched = g_watched.FindWatched(code))
    EndWatched(*watched, FrameOfWatched(*watched), SelfOfWatched(*watched), result);
  return None();
}

// The code, an offset, the result.
Object* OnReturn(Object*, Object* const* arguments, ptrdiff_t) {
  return OnEnd(arguments[0], arguments[2]);
}

Object* OnUnwind(Object*, Object* const* arguments, ptrdiff_t) {
  return OnEnd(arguments[0], nullptr);
}

// Builds with free threads call back on several threads at once.
bool IsFreeThreaded() {
  return TextOf(g_api->PySys_GetObject("abiflags")).find('t') != std::string_view::npos;
}

bool TakeTool(int wanted) {
  for (const int tool : kTools) {
    if (tool == wanted) continue;
    const Owned taken(
        g_api->PyObject_CallMethod(g_monitoring, "use_tool_id", "is", tool, "syncline"));
    if (taken) return SetOurTool(tool), true;
    g_api->PyErr_Clear();  // another's
  }
  return false;
}

bool FindEvents() {
  const Owned numbers(AttributeOf(g_monitoring, "events"));
  for (Event& event : g_events) {
    long number;
    if (!numbers || !NumberOf(numbers.get(), event.name, &number)) return false;
    event.number = static_cast<int>(number);
    if (!event.everywhere) g_local_events |= event.number;
  }
  return true;
}

bool Register() {
  int everywhere = 0;
  for (Event& event : g_events) {
    const Owned callback(g_api->PyCFunction_NewEx(&event.method, nullptr, nullptr));
    const Owned before(callback
                           ? g_api->PyObject_CallMethod(g_monitoring, "register_callback", "iiO",
                                                        OurTool(), event.number, callback.get())
                           : nullptr);
    if (!before) return false;
    if (event.everywhere) everywhere |= event.number;
  }
  const Owned set(
      g_api->PyObject_CallMethod(g_monitoring, "set_events", "ii", OurTool(), everywhere));
  return static_cast<bool>(set);
}

bool WatchAgain() {
  bool all = true;
  g_watched.ForEach([&all](const WatchedCode& watched) {
    if (watched.function != nullptr)
      all = SetLocalEvents(const_cast<Object*>(watched.code), g_local_events) && all;
  });
  return all;
}

// The program wants our id. What we have told Python not to tell us of, it must be able to see.
void GiveUpTool() {
  const int wanted = OurTool();
  StopMonitoring();
  const bool goes_on = TakeTool(wanted) && Register() && WatchAgain();
  if (!goes_on) {
    g_api->PyErr_Clear();
    if (OurTool() >= 0) StopMonitoring();
    TellWhoChose(LogLevel::kError, " records nothing from here on:",
                 "the program uses the tool ids 3 and 4 of sys.monitoring itself");
  }
  Call("restart_events", nullptr);
}

}  // namespace

const char* StartMonitoring() {
  if (IsFreeThreaded()) return "this is a free-threaded Python";
  g_monitoring = g_api->PySys_GetObject("monitoring");
  if (g_monitoring == nullptr) return "this Python has no sys.monitoring";
  NewReference(g_monitoring);
  g_set_local_events = g_api->PyObject_GetAttrString(g_monitoring, "set_local_events");
  g_disable = g_api->PyObject_GetAttrString(g_monitoring, "DISABLE");
  if (g_set_local_events == nullptr || g_disable == nullptr || !FindEvents()) {
    g_api->PyErr_Clear();
    return "this Python's sys.monitoring is not as expected";
  }
  const OwnToolCalls own;
  if (!TakeTool(-1)) return "no tool id of sys.monitoring is free (3 and 4 are used by others)";
  WatchToolCalls(g_monitoring, GiveUpTool);
  if (!AreFramesKnown())
    TellWhoChose(LogLevel::kWarn, ":",
                 "calls of coroutines have no ranges of their own in this Python");
  if (Register()) return nullptr;
  g_api->PyErr_Clear();
  StopMonitoring();
  return "this Python's sys.monitoring is not as expected";
}

}  // namespace syncline::python
