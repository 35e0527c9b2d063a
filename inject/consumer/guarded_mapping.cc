// SPDX-License-Identifier: Apache-2.0
// The handler of SIGBUS and the list of mappings that it looks through.
#include "inject/consumer/guarded_mapping.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "inject/core/sys.h"

namespace syncline {

// Never freed, so that the handler can walk the list at any moment; used again for other mappings.
struct GuardedMapping::Guard {
  std::atomic<uintptr_t> begin{
      0};  // 0: free; written last (release; pairs with the handler's acquire)
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> broken{false};
  Guard* next = nullptr;  // never changes
};

namespace {

constexpr uintptr_t kPage = 4096;

std::mutex g_mutex;  // of who adds and frees
std::atomic<GuardedMapping::Guard*> g_guards{nullptr};

GuardedMapping::Guard* GuardOf(uintptr_t address) {
  for (auto* guard = g_guards.load(std::memory_order_acquire); guard != nullptr;
       guard = guard->next) {
    const uintptr_t begin = guard->begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < guard->end.load(std::memory_order_relaxed))
      return guard;
  }
  return nullptr;
}

// True: the page is there now, and the instruction can be tried again.
bool PutZeros(uintptr_t address) {
  GuardedMapping::Guard* guard = GuardOf(address);
  if (guard == nullptr) return false;
  const uintptr_t page = address & ~(kPage - 1);
  const uintptr_t bytes = guard->end.load(std::memory_order_relaxed) - page;
  guard->broken.store(true, std::memory_order_relaxed);
  return SysCall(SYS_mmap, static_cast<long>(page), static_cast<long>(bytes),
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                 -1, 0) >= 0;
}

void OnBusError(int signal, siginfo_t* info, void*) {
  const ErrnoKeeper keeper;
  if (info->si_code <= 0) {
    // Somebody sent it: for the main thread, which passes it on to the program, or dies of it.
    if (static_cast<int>(SysTid()) == getpid()) ::signal(signal, SIG_DFL);
    SysCall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), signal, AsLong(info));
  } else if (!PutZeros(reinterpret_cast<uintptr_t>(info->si_addr))) {
    ::signal(signal, SIG_DFL);  // the fault comes again, and is what it is without us
  }
}

void Install() {
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

void GuardedMapping::AllowInThread() {
  sigset_t bus;
  sigemptyset(&bus);
  sigaddset(&bus, SIGBUS);
  static std::once_flag once;
  std::call_once(once, Install);
  pthread_sigmask(SIG_UNBLOCK, &bus, nullptr);
}

int GuardedMapping::Map(int fd, size_t bytes) {
  Unmap();
  AllowInThread();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) return errno;
  memory_ = memory;
  bytes_ = bytes;
  const std::lock_guard<std::mutex> lock(g_mutex);
  Guard* guard = g_guards.load(std::memory_order_relaxed);
  while (guard != nullptr && guard->begin.load(std::memory_order_relaxed) != 0) guard = guard->next;
  const bool made = guard == nullptr;
  if (made) guard = new Guard;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  guard->broken.store(false, std::memory_order_relaxed);
  guard->end.store((begin + bytes + kPage - 1) & ~(kPage - 1), std::memory_order_relaxed);
  guard->begin.store(begin, std::memory_order_release);
  if (made) {
    guard->next = g_guards.load(std::memory_order_relaxed);
    g_guards.store(guard, std::memory_order_release);  // pairs with the acquire in GuardOf
  }
  guard_ = guard;
  return 0;
}

void GuardedMapping::Unmap() {
  if (memory_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(g_mutex);
  guard_->begin.store(0, std::memory_order_release);
  munmap(memory_, bytes_);
  guard_ = nullptr;
  memory_ = nullptr;
}

bool GuardedMapping::broken() const {
  return guard_ != nullptr && guard_->broken.load(std::memory_order_relaxed);
}

}  // namespace syncline
