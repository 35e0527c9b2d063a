// SPDX-License-Identifier: Apache-2.0
// The C library ends the process when a thread ends that was the last it counted. So a thread of
// ours takes itself out of that count while it runs.
#include "inject/core/own_thread.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr uint32_t kMostThreads = 1 << 22;   // the kernel's limit
constexpr size_t kExitStackBytes = 2 << 20;  // the program's handlers run on it
constexpr size_t kGuardBytes = 4096;

std::atomic<uint32_t*> g_count;     // the C library's; null: not known
std::atomic<uint32_t> g_uncounted;  // threads that are not the program's
std::atomic<bool> g_ends;           // a thread of ours has called exit

// glibc's own word, which it shows to debuggers since 2.34. On a thread of ours, which may wait for
// the loader's lock. A value that cannot be is another one's.
uint32_t* FindCount() {
  if (g_hides_thread_count.load(std::memory_order_relaxed)) return nullptr;
  uint32_t* known = g_count.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* found = static_cast<uint32_t*>(dlsym(RTLD_DEFAULT, "__nptl_nthreads"));
  if (found == nullptr) return nullptr;
  const uint32_t count = __atomic_load_n(found, __ATOMIC_RELAXED);
  if (count == 0 || count > kMostThreads) return nullptr;
  g_count.store(found, std::memory_order_release);
  return found;
}

// The program's last thread has ended, and mostly is in `exit`: only that it is gone tells whether
// it left that to us.
bool NobodyIsCounted() {
  const uint32_t* count = g_count.load(std::memory_order_acquire);
  return count != nullptr && __atomic_load_n(count, __ATOMIC_ACQUIRE) == 0;
}

void* Exit(void*) {
  const OwnThread own(kExitStackBytes);
  exit(0);
}

}  // namespace

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

// The program's last thread may have ended since this one was made: then it was not the last for
// the C library, and a thread of ours that looks has to end the process (MustLookForEnd).
UncountedThread::UncountedThread() {
  g_uncounted.fetch_add(1, std::memory_order_relaxed);
  uint32_t* count = FindCount();
  if (count != nullptr) __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
}

// Counted again, because the C library is about to count it off. Where nobody is counted, once
// more: it would be the last, and the program's last thread is in `exit`.
UncountedThread::~UncountedThread() {
  uint32_t* count = g_count.load(std::memory_order_acquire);
  if (count != nullptr && __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL) == 0)
    __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
  g_uncounted.fetch_sub(1, std::memory_order_relaxed);
}

// The stack is the C library's: sanitizers need larger ones than we ask for, and find them only so.
// Its top is known without the heap that pthread_getattr_np takes: the thread's descriptor, of more
// than 2 KiB, is the last thing in it.
OwnThread::OwnThread(size_t stack_bytes) {
  constexpr uint64_t kPage = 4096;
  constexpr uint64_t kDescriptor = 2048;
  const uint64_t last = static_cast<uint64_t>(pthread_self()) + kDescriptor;
  const uint64_t end = (last & ~(kPage - 1)) + kPage;
  SysCall(SYS_munlock, static_cast<long>(end - stack_bytes), static_cast<long>(stack_bytes));
}

// Nobody waits for it: it may stay until the process ends.
OwnThread::~OwnThread() {
  while (NobodyIsCounted()) {
    EndProcessIfLast();
    SysSleepNs(kLookForEndEveryNs);
  }
}

void ForgetOwnThreads() {
  g_uncounted.store(0, std::memory_order_relaxed);
  g_ends.store(false, std::memory_order_relaxed);
}

bool MustLookForEnd() {
  return g_count.load(std::memory_order_relaxed) == nullptr || NobodyIsCounted();
}

// `main` that left by pthread_exit is a zombie until the process ends. A thread of the program that
// is in `exit` is one more. The thread that looks goes on: what is done at the exit may wait for
// it, as the flush of CUPTI's records does for its helper.
void EndProcessIfLast() {
  char stat_line[1024];
  if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) <= 0) return;
  const char* state = std::strrchr(stat_line, ')');
  const uint64_t ours = g_uncounted.load(std::memory_order_relaxed);
  if (state != nullptr && state[1] == ' ' && state[2] == 'Z' &&
      StatField(stat_line, 20) == ours + 1 && !g_ends.exchange(true) &&
      !StartOwnThread(Exit, nullptr, kExitStackBytes, kGuardBytes))
    exit(0);
}

}  // namespace syncline
