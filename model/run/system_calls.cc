// SPDX-License-Identifier: Apache-2.0
// Those of the machine that this is built for: a run is read where it was recorded.
#include "model/run/system_calls.h"

#include <sys/syscall.h>

#include "base/text.h"
#include "model/run/sample_format.h"

namespace syncline {
namespace {

struct NamedCall {
  uint32_t number;
  const char* name;
};

constexpr NamedCall kNamedCalls[] = {{SYS_read, "read"},
                                     {SYS_write, "write"},
                                     {SYS_pread64, "pread64"},
                                     {SYS_pwrite64, "pwrite64"},
                                     {SYS_readv, "readv"},
                                     {SYS_writev, "writev"},
                                     {SYS_openat, "openat"},
                                     {SYS_close, "close"},
                                     {SYS_fsync, "fsync"},
                                     {SYS_fdatasync, "fdatasync"},
                                     {SYS_futex, "futex"},
                                     {SYS_ppoll, "ppoll"},
                                     {SYS_pselect6, "pselect6"},
                                     {SYS_epoll_pwait, "epoll_wait"},
                                     {SYS_nanosleep, "nanosleep"},
                                     {SYS_clock_nanosleep, "clock_nanosleep"},
                                     {SYS_wait4, "wait4"},
                                     {SYS_waitid, "waitid"},
                                     {SYS_recvfrom, "recvfrom"},
                                     {SYS_recvmsg, "recvmsg"},
                                     {SYS_sendto, "sendto"},
                                     {SYS_sendmsg, "sendmsg"},
                                     {SYS_accept4, "accept4"},
                                     {SYS_connect, "connect"},
                                     {SYS_flock, "flock"},
                                     {SYS_fcntl, "fcntl"},
                                     {SYS_ioctl, "ioctl"},
                                     {SYS_mmap, "mmap"},
                                     {SYS_munmap, "munmap"},
                                     {SYS_madvise, "madvise"},
                                     {SYS_msync, "msync"},
                                     {SYS_getdents64, "getdents64"},
#ifdef SYS_poll  // not on newer machines
                                     {SYS_poll, "poll"},
                                     {SYS_select, "select"},
                                     {SYS_epoll_wait, "epoll_wait"},
                                     {SYS_open, "open"},
                                     {SYS_stat, "stat"},
#endif
                                     {SYS_newfstatat, "newfstatat"}};

}  // namespace

std::string SystemCallName(uint32_t number) {
  if (number == kNoSystemCall) return "page fault";
  for (const NamedCall& call : kNamedCalls) {
    if (call.number == number) return call.name;
  }
  return Text("system call ", number);
}

}  // namespace syncline
