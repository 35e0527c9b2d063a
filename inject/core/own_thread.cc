// SPDX-License-Identifier: Apache-2.0
// Starting of our threads.
#include "inject/core/own_thread.h"

#include <pthread.h>
#include <sys/mman.h>

#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kGuardBytes = 4096;  // pthread_attr_setstack leaves the guard to us

bool Create(void* stack, size_t bytes, void* (*run)(void*), void* argument) {
  const SignalBlocker
      blocker;  // the thread inherits this mask: no signal of the program is handled on it
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started =
      pthread_attr_setstack(&attributes, static_cast<char*>(stack) + kGuardBytes, bytes) == 0 &&
      pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes) {
  const size_t bytes = kGuardBytes + stack_bytes;
  void* stack = SysMap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (stack == nullptr) return false;
  SysCall(SYS_mprotect, AsLong(stack), kGuardBytes, PROT_NONE);
  if (Create(stack, stack_bytes, run, argument)) return true;
  SysUnmap(stack, bytes);
  return false;
}

}  // namespace syncline
