// SPDX-License-Identifier: Apache-2.0
// Starting of our threads.
#include "inject/core/own_thread.h"

#include <pthread.h>

#include "inject/core/sys.h"

namespace syncline {

bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes, size_t guard_bytes) {
  const SignalBlocker blocker;  // the thread inherits the mask: it handles no signal of the program
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setguardsize(&attributes, guard_bytes);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

// The stack is the C library's: sanitizers need larger ones than we ask for, and find them only so.
// Its top is known without the heap that pthread_getattr_np takes: the thread's descriptor, of more
// than 2 KiB, is the last thing in it.
void UnlockOwnStack(size_t stack_bytes) {
  constexpr uint64_t kPage = 4096;
  constexpr uint64_t kDescriptor = 2048;
  const uint64_t last = static_cast<uint64_t>(pthread_self()) + kDescriptor;
  const uint64_t end = (last & ~(kPage - 1)) + kPage;
  SysCall(SYS_munlock, static_cast<long>(end - stack_bytes), static_cast<long>(stack_bytes));
}

}  // namespace syncline
