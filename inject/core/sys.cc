// SPDX-License-Identifier: Apache-2.0
// System calls for the injected side: no errno, no libc wrappers.
#include "inject/core/sys.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

namespace syncline {
namespace {

constexpr size_t kPageBytes = 4096;

void* Mapped(long result) {
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void*>(result);
}

}  // namespace

int SysOpen(const char* path, int flags, unsigned mode) {
  long result;
  do {
    result =
        SysCall(SYS_openat, AT_FDCWD, AsLong(path), flags | O_CLOEXEC, static_cast<long>(mode));
  } while (result == -EINTR);
  return static_cast<int>(result);
}

void SysClose(int fd) { SysCall(SYS_close, fd); }

uint64_t SysLimit(int resource) {
  rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  SysCall(SYS_prlimit64, 0, resource, 0, AsLong(&limit));
  return limit.rlim_cur;
}

// Not higher than where a table of descriptors mostly ends: it grows to the highest in use.
int SysMoveHigh(int fd) {
  constexpr uint64_t kMost = 1024;
  const uint64_t limit = SysLimit(RLIMIT_NOFILE);
  const uint64_t end = limit < kMost ? limit : kMost;
  const long high = SysCall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, static_cast<long>(end - end / 16));
  if (high < 0) return fd;
  SysClose(fd);
  return static_cast<int>(high);
}

long SysRead(int fd, void* data, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const long result = SysCall(SYS_read, fd, AsLong(static_cast<char*>(data) + done),
                                static_cast<long>(bytes - done));
    if (result == -EINTR) continue;
    if (result < 0) return result;
    if (result == 0) break;
    done += static_cast<size_t>(result);
  }
  return static_cast<long>(done);
}

long SysWrite(int fd, const void* data, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const long result = SysCall(SYS_write, fd, AsLong(static_cast<const char*>(data) + done),
                                static_cast<long>(bytes - done));
    if (result == -EINTR) continue;
    if (result < 0) return result;
    done += static_cast<size_t>(result);
  }
  return static_cast<long>(done);
}

// The first page is locked where MCL_FUTURE is set, until it is unlocked; what the mapping grows by
// is then locked no more (mlockall(2), mremap(2)). Shared memory without a file cannot grow.
void* SysMap(size_t bytes, int protection, int flags, int fd) {
  const bool grows = (flags & MAP_SHARED) == 0 || (flags & MAP_ANONYMOUS) == 0;
  const size_t first = grows && bytes > kPageBytes ? kPageBytes : bytes;
  void* memory = Mapped(SysCall(SYS_mmap, 0, static_cast<long>(first), protection, flags, fd, 0));
  if (memory == nullptr) return nullptr;
  SysCall(SYS_munlock, AsLong(memory), static_cast<long>(first));
  if (first == bytes) return memory;
  void* grown = Mapped(SysCall(SYS_mremap, AsLong(memory), static_cast<long>(first),
                               static_cast<long>(bytes), MREMAP_MAYMOVE));
  if (grown == nullptr) SysUnmap(memory, first);
  return grown;
}

void* SysMapOn(void* page, size_t bytes) {
  return Mapped(SysCall(SYS_mremap, AsLong(page), 0, static_cast<long>(bytes), MREMAP_MAYMOVE));
}

void SysUnmap(void* memory, size_t bytes) {
  SysCall(SYS_munmap, AsLong(memory), static_cast<long>(bytes));
}

uint32_t SysTid() { return static_cast<uint32_t>(SysCall(SYS_gettid)); }

int32_t SysPid() { return static_cast<int32_t>(SysCall(SYS_getpid)); }

long ReadSmallFile(const char* path, char* out, size_t bytes) {
  out[0] = '\0';
  const int fd = SysOpen(path, O_RDONLY);
  if (fd < 0) return fd;
  const long result = SysRead(fd, out, bytes - 1);
  SysClose(fd);
  out[result > 0 ? result : 0] = '\0';
  return result;
}

void SysSleepNs(uint64_t ns) {
  timespec time = {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
  SysCall(SYS_nanosleep, AsLong(&time), 0);
}

SignalBlocker::SignalBlocker() : saved_(0) {
  const uint64_t all = ~uint64_t{0};
  SysCall(SYS_rt_sigprocmask, SIG_SETMASK, AsLong(&all), AsLong(&saved_), sizeof(saved_));
}

SignalBlocker::~SignalBlocker() {
  SysCall(SYS_rt_sigprocmask, SIG_SETMASK, AsLong(&saved_), 0, sizeof(saved_));
}

}  // namespace syncline
