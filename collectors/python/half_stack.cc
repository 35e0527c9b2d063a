// SPDX-License-Identifier: Apache-2.0
// The C library is asked once for each thread; what it says of a few threads is kept.
#include "collectors/python/half_stack.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "inject/core/sys.h"

namespace syncline::python {
namespace {

struct KnownStack {
  pthread_t thread;
  uintptr_t low, half;  // addresses between them are beyond the half
};
constexpr size_t kKnownStacks = 64;
KnownStack g_known[kKnownStacks];
// In libpthread before glibc 2.34, which not every program has.
int (*g_get_attributes)(pthread_t, pthread_attr_t*);

// In the C library a thread's number is an address at the end of its stack: who gets the number of
// one that ended gets its stack.
KnownStack Ask(pthread_t thread) {
  const ErrnoKeeper keeper;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (g_get_attributes == nullptr || g_get_attributes(thread, &attributes) != 0)
    return {thread, 0, 0};
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uintptr_t>(low);
  return {thread, begin, begin + bytes / 2};
}

}  // namespace

void PrepareHalfStack() {
  g_get_attributes =
      reinterpret_cast<decltype(g_get_attributes)>(dlsym(RTLD_DEFAULT, "pthread_getattr_np"));
}

bool IsHalfUsed() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const pthread_t thread = pthread_self();
  KnownStack& known = g_known[thread * 0x9E3779B97F4A7C15ull >> 58];
  if (__builtin_expect(known.thread != thread, 0)) known = Ask(thread);
  return here < known.half && here >= known.low;
}

}  // namespace syncline::python
