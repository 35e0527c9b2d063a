// SPDX-License-Identifier: Apache-2.0
// System calls that neither touch errno nor pass through functions that the program or another tool
// may have replaced.
#pragma once

#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <unistd.h>
#endif

namespace syncline {

// Keeps the caller's errno over a slow path that calls libc.
class ErrnoKeeper {
 public:
  ErrnoKeeper() : saved_(errno) {}
  ~ErrnoKeeper() { errno = saved_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  int saved_;
};

// Result as of the kernel: >= 0, or -errno.
#if defined(__x86_64__)
inline long SysCall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                    long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
#else
inline long SysCall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                    long f = 0) {
  ErrnoKeeper keeper;
  const long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}
#endif

template <typename T>
inline long AsLong(T* pointer) {
  return static_cast<long>(reinterpret_cast<uintptr_t>(pointer));
}

int SysOpen(const char* path, int flags,
            unsigned mode = 0);  // adds O_CLOEXEC; retries EINTR; -errno
void SysClose(int fd);
// The same file by a high number, close-on-exec: the low ones are the program's. `fd` where there
// is none.
int SysMoveHigh(int fd);
long SysRead(int fd, void* data, size_t bytes);  // retries EINTR; until `bytes` or the end; -errno
long SysWrite(int fd, const void* data, size_t bytes);  // retries EINTR and short writes; -errno
// Maps memory that is never locked: a program that called mlockall(MCL_FUTURE) keeps its
// RLIMIT_MEMLOCK for itself, and nothing is touched that is not used. Null on failure.
void* SysMap(size_t bytes, int protection, int flags, int fd);
// One more mapping of the memory that a shared mapping has at `page`, of `bytes`, which may be more
// than that one has: so a file's next part is mapped without a descriptor. Null on failure.
void* SysMapOn(void* page, size_t bytes);
void SysUnmap(void* memory, size_t bytes);
// The soft limit of an RLIMIT_; RLIM_INFINITY: none, or not known.
uint64_t SysLimit(int resource);
uint32_t SysTid();
int32_t SysPid();
// Reads a small file whole, terminated with NUL; returns its length, or -errno.
long ReadSmallFile(const char* path, char* out, size_t bytes);
void SysSleepNs(uint64_t ns);

// Blocks all signals of this thread for its lifetime: the slow paths must not be entered again by a
// handler.
class SignalBlocker {
 public:
  SignalBlocker();
  ~SignalBlocker();
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace syncline
