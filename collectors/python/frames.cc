// SPDX-License-Identifier: Apache-2.0
// A function of ours stands before the one that evaluates frames. Each call of a Python function
// passes through it, and each stretch in which a generator runs.
#include "collectors/python/frames.h"

#include <dlfcn.h>

#include <cstring>

#include "collectors/python/code_names.h"
#include "collectors/python/function_versions.h"
#include "collectors/python/half_stack.h"
#include "collectors/python/namesakes.h"
#include "collectors/python/remembered_code.h"
#include "collectors/python/watched_calls.h"
#include "inject/core/python_layout.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

// A PyFrameObject, in 3.11 an _PyInterpreterFrame.
using Frame = char;
using Evaluator = Object* (*)(void* state, Frame* frame, int thrown);
using Evaluator38 = Object* (*)(Frame* frame, int thrown);

constexpr uint32_t kWithStates = 0x30a;            // 3.10
constexpr uint32_t kWithoutStack = kWithVersions;  // the one that has both a C stack and none
constexpr int64_t kFrameCode = LayoutOfPython(kFirstEvaluated)->frame_code;
static_assert(LayoutOfPython(kWithoutStack)->frame_code == kFrameCode);
constexpr int64_t kFrameOwner311 = LayoutOfPython(kWithoutStack)->frame_owner;
// These nobody else reads.
constexpr int64_t kFrameFunction311 = 0;      // _PyInterpreterFrame.f_func
constexpr int64_t kFrameLocals311 = 24;       // f_locals
constexpr int64_t kFrameOfObject311 = 24;     // PyFrameObject.f_frame
constexpr int64_t kEvaluatorOfState38 = 568;  // PyInterpreterState.eval_frame
constexpr uint32_t kIsOptimized = 0x0001;     // CO_OPTIMIZED
constexpr uint32_t kMayWait = 0x02a0;         // CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
constexpr int64_t kFrameStackTop38 = 72;     // PyFrameObject.f_stacktop, in 3.9 too; null: it ended
constexpr int64_t kFrameState310 = 108;      // PyFrameObject.f_state: an int8_t
constexpr int64_t kFrameState311 = -5;       // PyGenObject.gi_frame_state, before its frame
constexpr uint8_t kOwnedByThread = 0;        // FRAME_OWNED_BY_THREAD
constexpr uint8_t kReturnGenerator311 = 75;  // of opcode.h

void* g_main;  // the main interpreter's PyInterpreterState
void* (*g_evaluator_of)(void* state);
void (*g_set_evaluator)(void* state, void* evaluator);
uint64_t (*g_number_of)(void* thread_state);
void* g_next;  // what was there before us: as a rule Python's own
void* g_ours;

Object* GlobalsOf(const Frame* frame) { return ReadAt<Object*>(frame, g_layout.frame_globals); }

// Code of modules, and of what exec and eval are given. A class's body has no locals of its own
// either: it was seen with its module.
bool IsModule(Object* code) {
  const Owned name(AttributeOf(code, "co_name"));
  return TextOf(name.get()) == "<module>";
}

__attribute__((noinline)) void MeetBody(const Frame* frame, Object* code) {
  const ErrnoKeeper keeper;
  if (g_watched.Known(code) != nullptr || !IsModule(code)) return;
  const bool has_functions = JudgeModule(code, GlobalsOf(frame));
  if (has_functions) Remember(code, nullptr);  // it may run many times
}

__attribute__((noinline)) const WatchedCode* MeetUnknown(const Frame* frame, Object* code) {
  const ErrnoKeeper keeper;
  const Chosen* function = MeetNamesake(code, ModuleOf(GlobalsOf(frame)));
  return function == nullptr ? nullptr : g_watched.FindWatched(code);
}

// Another tool may put Python's own function back when it ends. What it puts there of its own
// stays.
__attribute__((noinline)) void ComeBack() {
  if (g_evaluator_of(g_main) == g_next) g_set_evaluator(g_main, g_ours);
}

// Two kinds of frames.
struct Before311 {
  static bool HasBegun(const Frame* frame, uint32_t) {
    return ReadAt<int32_t>(frame, g_layout.frame_position) >= 0;
  }
  static bool HasStarted(const Frame* frame) { return HasBegun(frame, 0); }
  // A generator that ends before it began is evaluated too, to raise what ends it.
  static bool BeginsNothing(const Frame* frame, uint32_t flags, int thrown) {
    return thrown != 0 && !HasBegun(frame, flags);
  }
  // Of a generator that was evaluated, and is still held by whoever did so.
  static bool IsSuspended(const Frame* frame) {
    return g_layout.python < kWithStates ? ReadAt<const void*>(frame, kFrameStackTop38) != nullptr
                                         : ReadAt<int8_t>(frame, kFrameState310) < 0;
  }
  static void AtEntry(const Frame*, Object*) {}
  static void AfterBody(const Frame*, const Object*) {}
};

struct In311 {
  static bool IsMade(const Frame* frame) {
    return ReadAt<uint8_t>(frame, kFrameOwner311) != kOwnedByThread;
  }
  static bool HasBegun(const Frame* frame, uint32_t flags) {
    return (flags & kMayWait) != 0 && IsMade(frame);
  }
  // Where a generator is made, too: until it has a frame of its own.
  static bool BeginsNothing(const Frame* frame, uint32_t flags, int thrown) {
    if ((flags & kMayWait) == 0) return false;
    if (!IsMade(frame)) return true;
    return thrown != 0 && !HasStarted(frame);
  }
  // Of a generator that was made.
  static bool HasStarted(const Frame* frame) {
    return *ReadAt<const uint8_t*>(frame, g_layout.frame_position) != kReturnGenerator311;
  }
  static bool IsSuspended(const Frame* frame) { return ReadAt<int8_t>(frame, kFrameState311) < 0; }
  static void AtEntry(const Frame* frame, Object* code) {
    GiveLargeVersion(ReadAt<Object*>(frame, kFrameFunction311), code);
  }
  // The frame goes after us. A module's names are its globals.
  static void AfterBody(const Frame* frame, const Object* result) {
    auto* names = ReadAt<Object*>(frame, kFrameLocals311);
    if (result != nullptr && names != GlobalsOf(frame)) GiveLargeVersionInClass(names);
  }
};

// `found`: its place may be another one afterwards. A generator that has yielded is suspended, and
// held by whoever let it run.
template <typename Frames, typename Evaluate>
inline __attribute__((always_inline)) Object* AroundWatched(const WatchedCode& found,
                                                            const Frame* frame, uint32_t flags,
                                                            int thrown, Evaluate evaluate) {
  const WatchedCode watched = found;
  if (Frames::BeginsNothing(frame, flags, thrown)) return evaluate();
  Frames::AtEntry(frame, const_cast<Object*>(watched.code));
  const void* self = watched.function->told == nullptr
                         ? nullptr
                         : ReadAt<const void*>(frame, g_layout.frame_locals);
  const bool may_wait = (flags & kMayWait) != 0;
  if (may_wait && (thrown != 0 || Frames::HasStarted(frame))) {
    ResumeWatched(watched, frame, self);
  } else {
    BeginWatched(watched, frame, self);
  }
  Object* result = evaluate();
  if (may_wait && result != nullptr && Frames::IsSuspended(frame)) {
    PauseWatched(watched, self);
  } else {
    EndWatched(watched, frame, self, result);
  }
  if (__builtin_expect(g_evaluator_of(g_main) != g_ours, 0)) ComeBack();
  return result;
}

// Nothing of Python's is called where an exception is thrown in: it is set already.
template <typename Frames, typename Evaluate>
inline __attribute__((always_inline)) Object* Around(const Frame* frame, int thrown,
                                                     Evaluate evaluate) {
  auto* code = ReadAt<Object*>(frame, kFrameCode);
  const auto flags = ReadAt<uint32_t>(code, g_layout.code_flags);
  const bool is_body = (flags & kIsOptimized) == 0;
  const WatchedCode* found = g_watched.FindWatched(code);
  if (__builtin_expect(found == nullptr && thrown == 0, 1)) {
    if (__builtin_expect(is_body, 0)) {
      if (!Frames::HasBegun(frame, flags)) MeetBody(frame, code);
    } else if (__builtin_expect(MayBeNamesake(code), 0)) {
      found = MeetUnknown(frame, code);
    }
  }
  if (__builtin_expect(found != nullptr, 0))
    return AroundWatched<Frames>(*found, frame, flags, thrown, evaluate);
  Object* result = evaluate();
  if (__builtin_expect(is_body, 0) && (flags & kMayWait) == 0) Frames::AfterBody(frame, result);
  if (__builtin_expect(g_evaluator_of(g_main) != g_ours, 0)) ComeBack();
  return result;
}

Object* EvaluateBy38(Frame* frame, int thrown) {
  return Around<Before311>(frame, thrown,
                           [&] { return reinterpret_cast<Evaluator38>(g_next)(frame, thrown); });
}

Object* EvaluateBy(void* state, Frame* frame, int thrown) {
  return Around<Before311>(
      frame, thrown, [&] { return reinterpret_cast<Evaluator>(g_next)(state, frame, thrown); });
}

// From here on Python calls as it does without us, until the caller of this frame has returned.
// False: another tool stands before us, and calls take C's stack in any case.
__attribute__((noinline)) bool StepAside() {
  static bool told;
  if (g_evaluator_of(g_main) != g_ours) return false;
  g_set_evaluator(g_main, g_next);
  if (told) return true;
  told = true;
  TellWhoChose(LogLevel::kWarn, ":",
               "calls in a recursion that has used half of its thread's stack are no ranges");
  return true;
}

Object* EvaluateBy311(void* state, Frame* frame, int thrown) {
  const auto evaluate = [&] { return reinterpret_cast<Evaluator>(g_next)(state, frame, thrown); };
  if (__builtin_expect(IsHalfUsed(g_number_of(state)), 0) && StepAside()) return evaluate();
  return Around<In311>(frame, thrown, evaluate);
}

void* EvaluatorOf38(void* state) { return ReadAt<void*>(state, kEvaluatorOfState38); }
void SetEvaluator38(void* state, void* evaluator) {
  std::memcpy(static_cast<char*>(state) + kEvaluatorOfState38, &evaluator, sizeof(evaluator));
}

// Modules that run already: they will not pass through us.
void MeetRunning() {
  Object* innermost = g_api->PyEval_GetFrame();  // borrowed; null: none runs
  for (Owned frame(innermost == nullptr ? nullptr : NewReference(innermost)); frame;) {
    const Owned code(AttributeOf(frame.get(), "f_code"));
    const Owned globals(AttributeOf(frame.get(), "f_globals"));
    if (code && IsModule(code.get())) JudgeModule(code.get(), globals.get());
    Owned back(AttributeOf(frame.get(), "f_back"));
    if (!back || back.get() == g_api->none) return;
    frame.Take(back.Release());
  }
}

template <typename T>
bool FindFunction(const Interpreter& interpreter, const char* name, T* out) {
  *out = reinterpret_cast<T>(dlsym(interpreter.handle, name));
  return *out != nullptr;
}

bool FindWay38(const Interpreter& interpreter) {
  void* pythons;
  if (!FindFunction(interpreter, "_PyEval_EvalFrameDefault", &pythons)) return false;
  g_evaluator_of = EvaluatorOf38;
  g_set_evaluator = SetEvaluator38;
  g_ours = reinterpret_cast<void*>(&EvaluateBy38);
  return EvaluatorOf38(g_main) == pythons;
}

bool FindWay(const Interpreter& interpreter, uint32_t version) {
  g_ours = reinterpret_cast<void*>(version == kWithoutStack ? &EvaluateBy311 : &EvaluateBy);
  return FindFunction(interpreter, "PyThreadState_GetID", &g_number_of) &&
         FindFunction(interpreter, "_PyInterpreterState_GetEvalFrameFunc", &g_evaluator_of) &&
         FindFunction(interpreter, "_PyInterpreterState_SetEvalFrameFunc", &g_set_evaluator);
}

// Whether the frame that runs is as this version's should be. A build for debugging has larger
// objects.
bool AreAsExpected(uint32_t version) {
  if (g_api->PySys_GetObject("getobjects") != nullptr) return false;
  Object* object = g_api->PyEval_GetFrame();  // borrowed
  if (object == nullptr) return true;         // none runs: nothing speaks against it
  const Owned code(AttributeOf(object, "f_code"));
  const Owned globals(AttributeOf(object, "f_globals"));
  long flags, first_line;
  if (!code || !NumberOf(code.get(), "co_flags", &flags) ||
      !NumberOf(code.get(), "co_firstlineno", &first_line))
    return false;
  const Owned name(AttributeOf(code.get(), "co_name"));
  const Owned file(AttributeOf(code.get(), "co_filename"));
  const void* frame =
      version == kWithoutStack ? ReadAt<const void*>(object, kFrameOfObject311) : object;
  return ReadAt<Object*>(frame, kFrameCode) == code.get() &&
         ReadAt<Object*>(frame, g_layout.frame_globals) == globals.get() &&
         ReadAt<int32_t>(code.get(), g_layout.code_flags) == flags &&
         ReadAt<int32_t>(code.get(), g_layout.code_first_line) == first_line &&
         ReadAt<Object*>(code.get(), g_layout.code_name) == name.get() &&
         ReadAt<Object*>(code.get(), g_layout.code_file) == file.get();
}

}  // namespace

const char* StartEvaluating(const Interpreter& interpreter, uint32_t version) {
  void* (*main)();
  g_layout = *LayoutOfPython(version);
  if (!FindFunction(interpreter, "PyInterpreterState_Main", &main) || !AreAsExpected(version))
    return "this Python's frames are not as expected";
  g_main = main();
  if (!(version == kFirstEvaluated ? FindWay38(interpreter) : FindWay(interpreter, version)))
    return "this Python has no place for a function that evaluates frames (PEP 523)";
  PrepareHalfStack();
  JudgeImported();
  MeetRunning();
  g_next = g_evaluator_of(g_main);
  g_set_evaluator(g_main, g_ours);
  return nullptr;
}

}  // namespace syncline::python
