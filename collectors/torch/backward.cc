// SPDX-License-Identifier: Apache-2.0
// Stands where Python finds the function of the method `run_backward`. Python reads it at each
// call.
#include "collectors/torch/backward.h"

#include <atomic>
#include <optional>
#include <utility>

#include "collectors/torch/backward_range.h"
#include "collectors/torch/named_ranges.h"
#include "collectors/torch/record_function.h"
#include "inject/core/exported.h"
#include "inject/core/helped_calls.h"
#include "inject/core/sys.h"

namespace syncline::torch {
namespace {

struct Object;  // PyObject
using Run = Object* (*)(Object* self, Object* arguments, Object* keywords);

// Relaxed: written before anybody is led to RunBackward, by the release in WriteSlot.
std::atomic<Run> g_run;
HelperCode g_engine;  // written before that, too
bool g_has_range;     // so is this

// Of the interpreter, or null. Written before that, too.
void* (*g_give_up_gil)();
void (*g_take_gil)(void* state);

// A thread of autograd's wakes the one that called before it gives back its last object of
// Python's, for which it needs the GIL. One that we held up has used more of its processor's time,
// so the scheduler lets the woken thread run in its place; and if the program ends before it runs
// again, Python ends it where PyTorch cannot bear it (docs/pytorch.md). So it may run here. Python
// has no GIL for a moment, as in the call that was.
void GiveWay() {
  if (g_give_up_gil == nullptr) return;
  void* const state = g_give_up_gil();
  SysCall(SYS_sched_yield);
  g_take_gil(state);
}

// Whoever calls has the GIL, and autograd gives it up for as long as it works. An exception of
// Python's is a null that comes back; those of C++ end in PyTorch's function.
Object* RunBackward(Object* self, Object* arguments, Object* keywords) {
  Object* result;
  bool held_up;
  {
    const std::optional<NamedRange> range =
        g_has_range ? std::optional<NamedRange>(std::in_place, kBackwardRange) : std::nullopt;
    HelpedCall call(g_engine);
    result = g_run.load(std::memory_order_relaxed)(self, arguments, keywords);
    held_up = call.End();
  }
  if (__builtin_expect(held_up, 0)) GiveWay();
  return result;
}

// Threads of autograd's that Python knows begin in the library that told Python of them.
HelperCode CodeAround(const Image& image, const void* function) {
  const auto address = reinterpret_cast<uintptr_t>(function);
  for (size_t i = 0; i < image.count; ++i) {
    const auto& [begin, end, writable, executable] = image.parts[i];
    if (executable && address >= begin && address < end) return {begin, end};
  }
  return {};
}

void FindGil() {
  const Module python = ModuleThatShows("PyEval_SaveThread");
  if (!FindFunction(python, "PyEval_RestoreThread", &g_take_gil) ||
      !FindFunction(python, "PyEval_SaveThread", &g_give_up_gil))
    g_give_up_gil = nullptr;
}

}  // namespace

const char* WatchBackward(const Image& image, bool with_range) {
  Method* method = nullptr;
  if (FindMethod(image, "run_backward", kArgumentsAndKeywords, &method) != 1)
    return "this PyTorch's run_backward was not found";
  g_engine = CodeAround(image, method->function);
  g_has_range = with_range;
  FindGil();
  g_run.store(reinterpret_cast<Run>(method->function), std::memory_order_relaxed);
  if (!ReplaceMethod(image, method, reinterpret_cast<void*>(&RunBackward)))
    return "this PyTorch's run_backward cannot be written";
  return nullptr;
}

}  // namespace syncline::torch
