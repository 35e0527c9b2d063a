// SPDX-License-Identifier: Apache-2.0
// The C library is asked once for each thread, for it may read a file to answer; what it says of
// those that were seen last is kept.
#include "collectors/python/half_stack.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>

#include "inject/core/sys.h"

namespace syncline::python {
namespace {

struct KnownStack {
  uint64_t state;
  pthread_t thread;     // an embedding program may carry a state from one thread to another
  uintptr_t low, half;  // addresses between them are beyond the half
};
// Numbers are given one after the other: of threads that live at the same time few share a set.
constexpr size_t kSets = 256;
constexpr size_t kWays = 2;
KnownStack g_known[kSets][kWays];
// In libpthread before glibc 2.34, which not every program has.
int (*g_get_attributes)(pthread_t, pthread_attr_t*);

// Where the C library does not know, as of the first thread where there is no /proc: so much below
// where the question was asked first, a quarter of what a first thread has by default.
constexpr uintptr_t kUnknownPart = uintptr_t{2} << 20;
uintptr_t Below(uintptr_t bytes) {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - bytes;
}

KnownStack Ask(uint64_t state, pthread_t thread) {
  const ErrnoKeeper keeper;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (g_get_attributes == nullptr || g_get_attributes(thread, &attributes) != 0)
    return {state, thread, 1, Below(kUnknownPart)};
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uintptr_t>(low);
  return {state, thread, begin, begin + bytes / 2};
}

// The first of a set is the one that was asked for last.
__attribute__((noinline)) const KnownStack& Learn(KnownStack (&set)[kWays], uint64_t state,
                                                  pthread_t thread) {
  const KnownStack first = set[0];
  const bool is_second = set[1].state == state && set[1].thread == thread;
  set[0] = is_second ? set[1] : Ask(state, thread);
  set[1] = first;
  return set[0];
}

}  // namespace

void PrepareHalfStack() {
  g_get_attributes =
      reinterpret_cast<decltype(g_get_attributes)>(dlsym(RTLD_DEFAULT, "pthread_getattr_np"));
}

bool IsHalfUsed(uint64_t state) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const pthread_t thread = pthread_self();
  auto& set = g_known[state % kSets];
  const bool is_first = set[0].state == state && set[0].thread == thread;
  const KnownStack& known = __builtin_expect(is_first, 1) ? set[0] : Learn(set, state, thread);
  return here < known.half && here >= known.low;
}

}  // namespace syncline::python
