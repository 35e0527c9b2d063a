// SPDX-License-Identifier: Apache-2.0
// Pages of doorbells, and the sleep on all of them at once.
#include "launcher/record/bells.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "inject/consumer/poll_pace.h"
#include "inject/core/clock.h"
#include "inject/core/sealed.h"
#include "inject/core/sys.h"
#include "launcher/start/unrecorded.h"

namespace syncline {
namespace {

constexpr size_t kPage = 4096;
// futex_waitv of Linux 5.16, which older headers lack.
constexpr long kFutexWaitv = 449;
constexpr uint32_t kFutex32 = 2;  // shared between processes
constexpr uint64_t kLongestBlindNs = 1000000;

struct FutexWait {
  uint64_t value;
  uint64_t address;
  uint32_t flags;
  uint32_t reserved;
};

// Not by ftruncate: where there is no room for the page, a store to it would end the launcher. -1:
// errno says why; `fd` is closed.
int FillPage(int fd) {
  static constexpr char kZeros[kPage] = {};
  errno = EFBIG;  // of a part that fits (ulimit -f)
  if (pwrite(fd, kZeros, kPage, 0) == static_cast<ssize_t>(kPage)) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// A sealed page; -1: errno says why.
int SealedPage() {
  // By number: glibc 2.17 has no such function.
  const long memory = syscall(SYS_memfd_create, "syncline-bell", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const int fd = memory < 0 ? -1 : FillPage(static_cast<int>(memory));
  if (fd >= 0) SealSize(fd);
  return fd;
}

// For the processes of our own user, where a sandbox refuses the sealed one.
int FilePage() {
  for (const char* place : {"/dev/shm", "/tmp"}) {
    const int file = open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    const int fd = file < 0 ? -1 : FillPage(file);
    if (fd >= 0) return fd;
  }
  return -1;
}

Doorbell* MapPage(int fd) {
  void* memory =
      fd < 0 ? MAP_FAILED : mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* bell = new (memory) Doorbell{};
  bell->heartbeat_ns.store(MonotonicNs());
  return bell;
}

}  // namespace

Bells::~Bells() {
  for (size_t i = 0; i < Count(); ++i) {
    munmap(bells_[i].page, kPage);
    close(bells_[i].fd);
  }
}

bool Bells::Make(std::string* error) {
  int fd = SealedPage();
  if (fd < 0) fd = FilePage();
  Doorbell* page = MapPage(fd);
  if (page == nullptr) {
    *error = "cannot make shared memory: " + SetupErrorText(errno);
    if (fd >= 0) close(fd);
    return false;
  }
  bells_[0] = {geteuid(), fd, page};
  count_.store(1, std::memory_order_release);
  return true;
}

int Bells::Of(uid_t user) {
  const size_t count = Count();
  for (size_t i = 0; i < count; ++i) {
    if (bells_[i].user == user) return bells_[i].fd;
  }
  if (count == kMostUsers) return -1;
  const int fd = SealedPage();
  Doorbell* page = CannotShrink(fd) ? MapPage(fd) : nullptr;
  if (page == nullptr) {
    if (fd >= 0) close(fd);
    return -1;
  }
  bells_[count] = {user, fd, page};
  count_.store(count + 1, std::memory_order_release);
  return fd;
}

void Bells::Beat() {
  const uint64_t now = MonotonicNs();
  for (size_t i = 0; i < Count(); ++i)
    bells_[i].page->heartbeat_ns.store(now, std::memory_order_relaxed);
}

void Bells::TellOverBudget(bool ours, bool others) {
  for (size_t i = 0; i < Count(); ++i)
    bells_[i].page->over_budget.store((i == 0 ? ours : others) ? 1 : 0, std::memory_order_relaxed);
}

void Bells::TellClosing() {
  for (size_t i = 0; i < Count(); ++i) bells_[i].page->closing.store(1, std::memory_order_release);
}

void Bells::Ring() {
  if (Count() == 0) return;
  Doorbell* bell = bells_[0].page;
  bell->futex.fetch_add(1);
  SysCall(SYS_futex, AsLong(&bell->futex), 1 /* FUTEX_WAKE */, 1);
}

void Bells::Sleep(uint64_t ns) {
  const size_t count = Count();
  if (count == 1) return SleepOnBell(bells_[0].page, ns);
  std::array<FutexWait, kMostUsers> waits{};
  for (size_t i = 0; i < count; ++i) {
    Doorbell* bell = bells_[i].page;
    waits[i] = {bell->futex.load(std::memory_order_relaxed),
                reinterpret_cast<uint64_t>(&bell->futex), kFutex32, 0};
    bell->sleeping.store(1, std::memory_order_seq_cst);  // as in SleepOnBell
  }
  bool rung = false;
  for (size_t i = 0; i < count; ++i)
    rung = rung || bells_[i].page->futex.load(std::memory_order_seq_cst) != waits[i].value;
  if (!rung) {
    const uint64_t until = MonotonicNs() + ns;
    timespec time = {static_cast<time_t>(until / 1000000000u),
                     static_cast<long>(until % 1000000000u)};
    const long result = SysCall(kFutexWaitv, AsLong(waits.data()), static_cast<long>(count), 0,
                                AsLong(&time), CLOCK_MONOTONIC);
    const bool waited =
        result >= 0 || result == -ETIMEDOUT || result == -EAGAIN || result == -EINTR;
    if (!waited) SysSleepNs(std::min(ns, kLongestBlindNs));  // an older kernel: nobody can wake us
  }
  for (size_t i = 0; i < count; ++i) bells_[i].page->sleeping.store(0, std::memory_order_relaxed);
}

}  // namespace syncline
