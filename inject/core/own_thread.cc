// SPDX-License-Identifier: Apache-2.0
// The C library ends the process when a thread ends that was the last it counted. So a thread of
// ours takes itself out of that count while it runs. Nobody is counted only where somebody has
// called `exit`, or is about to: whoever counts the last one off does that.
#include "inject/core/own_thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr uint32_t kMostThreads = 1 << 22;   // the kernel's limit
constexpr size_t kExitStackBytes = 2 << 20;  // the program's handlers run on it
constexpr size_t kGuardBytes = 4096;

std::atomic<uint32_t*> g_count;     // the C library's; null: not known. Written once
std::atomic<uint32_t> g_uncounted;  // threads that are not the program's
std::atomic<bool> g_ends;           // a thread of ours has called exit
pthread_key_t g_key;
std::atomic<bool> g_has_key;

// What a thread is to run, in a page of its own until it has begun.
struct Beginning {
  void* (*run)(void*);
  void* argument;
  size_t locked_bytes;  // of its stack, to be given back
};

// The program's last thread may be in `exit`, where nobody is counted. It is counted again, and
// stays so: else the next thread of ours that ends would be the last, and begin a second `exit`.
void Count() {
  uint32_t* count = g_count.load(std::memory_order_relaxed);
  if (count != nullptr && __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL) == 0)
    __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
}

void* Exit(void*) { exit(0); }

class Detached {
 public:
  Detached(size_t stack_bytes, size_t guard_bytes) : good_(pthread_attr_init(&attributes_) == 0) {
    if (!good_) return;
    pthread_attr_setdetachstate(&attributes_, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes_, stack_bytes);
    pthread_attr_setguardsize(&attributes_, guard_bytes);
  }
  ~Detached() {
    if (good_) pthread_attr_destroy(&attributes_);
  }
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;
  bool good() const { return good_; }
  const pthread_attr_t* get() const { return &attributes_; }

 private:
  pthread_attr_t attributes_;
  bool good_;
  SignalBlocker blocker_;  // a thread inherits the mask: it handles no signal of the program
};

// On a new thread, which is counted: what is done at the exit may wait for the one that sees that
// it is time, as the flush of CUPTI's records does for its helper.
void EndProcess() {
  pthread_t thread;
  const Detached detached(kExitStackBytes, kGuardBytes);
  if (!detached.good() || pthread_create(&thread, detached.get(), Exit, nullptr) != 0) exit(0);
}

// As the C library counts off a thread that ends.
void CountOff(uint32_t threads) {
  uint32_t* count = g_count.load(std::memory_order_relaxed);
  if (count != nullptr && __atomic_fetch_sub(count, threads, __ATOMIC_ACQ_REL) == threads)
    EndProcess();
}

// The C library is about to count the thread off. In a fork's child it counts the thread that
// forked, whichever that was.
void BeCounted(void* process) {
  if (reinterpret_cast<uintptr_t>(process) != static_cast<uintptr_t>(SysPid())) return;
  g_uncounted.fetch_sub(1, std::memory_order_relaxed);
  Count();
}

// The stack is the C library's: sanitizers need larger ones than we ask for, and find them only so.
// Its top is known without the heap that pthread_getattr_np takes: the thread's descriptor, of more
// than 2 KiB, is the last thing in it.
void UnlockStack(size_t bytes) {
  constexpr uint64_t kPage = 4096;
  constexpr uint64_t kDescriptor = 2048;
  const uint64_t last = static_cast<uint64_t>(pthread_self()) + kDescriptor;
  const uint64_t end = (last & ~(kPage - 1)) + kPage;
  SysCall(SYS_munlock, static_cast<long>(end - bytes), static_cast<long>(bytes));
}

// Two are counted off: this one and its creator's place (Create). The key's destructor runs at each
// end of the thread: one that leaves by pthread_exit, or is cancelled, comes to no line below. A
// cleanup handler would do that too, by functions that musl lacks.
void* Run(void* memory) {
  const Beginning beginning = *static_cast<Beginning*>(memory);
  SysUnmap(memory, sizeof(Beginning));
  void* const process = reinterpret_cast<void*>(static_cast<uintptr_t>(SysPid()));  // NOLINT
  g_uncounted.fetch_add(1, std::memory_order_relaxed);
  CountOff(2);
  if (beginning.locked_bytes != 0) UnlockStack(beginning.locked_bytes);
  const bool at_end =
      g_has_key.load(std::memory_order_relaxed) && pthread_setspecific(g_key, process) == 0;
  void* const result = beginning.run(beginning.argument);
  if (!at_end) BeCounted(process);
  return result;
}

// The new thread counts itself off, not its creator, which may hold a vendor's lock when it finds
// that it has to call `exit`. Until then it keeps a place for its creator: one of ours is not
// counted, and the program's last thread may end meanwhile.
int Create(pthread_t* thread, const pthread_attr_t* attributes, const Beginning& beginning) {
  void* memory = SysMap(sizeof(Beginning), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory == nullptr) return EAGAIN;
  Count();
  const int result = pthread_create(thread, attributes, Run, new (memory) Beginning(beginning));
  if (result == 0) return 0;
  SysUnmap(memory, sizeof(Beginning));
  CountOff(1);
  return result;
}

}  // namespace

// glibc's own word, which it shows to debuggers since 2.34. A value that cannot be is another
// one's.
void PrepareOwnThreads() {
  auto* found = static_cast<uint32_t*>(dlsym(RTLD_DEFAULT, "__nptl_nthreads"));
  if (found == nullptr) dlerror();  // the next answer is the program's
  const uint32_t count = found == nullptr ? 0 : __atomic_load_n(found, __ATOMIC_RELAXED);
  if (count == 0 || count > kMostThreads) return;
  g_has_key.store(pthread_key_create(&g_key, BeCounted) == 0, std::memory_order_relaxed);
  g_count.store(found, std::memory_order_relaxed);
}

int CreateUncounted(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                    void* argument) noexcept {
  return Create(thread, attributes, {run, argument, 0});
}

bool StartOwnThread(void* (*run)(void*), void* argument, size_t stack_bytes, size_t guard_bytes) {
  pthread_t thread;
  const Detached detached(stack_bytes, guard_bytes);
  return detached.good() && Create(&thread, detached.get(), {run, argument, stack_bytes}) == 0;
}

void ForgetOwnThreads() {
  g_uncounted.store(0, std::memory_order_relaxed);
  g_ends.store(false, std::memory_order_relaxed);
}

bool MustLookForEnd() { return g_count.load(std::memory_order_relaxed) == nullptr; }

// `main` that left by pthread_exit is a zombie until the process ends. A thread of the program that
// is in `exit` is one more.
void EndProcessIfLast() {
  char stat_line[1024];
  if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) <= 0) return;
  const char* state = std::strrchr(stat_line, ')');
  const uint64_t ours = g_uncounted.load(std::memory_order_relaxed);
  if (state != nullptr && state[1] == ' ' && state[2] == 'Z' &&
      StatField(stat_line, 20) == ours + 1 && !g_ends.exchange(true))
    EndProcess();
}

}  // namespace syncline
