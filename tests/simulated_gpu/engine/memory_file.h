// SPDX-License-Identifier: Apache-2.0
// A file without a name, in memory: the kernel's call, because glibc has a function for it since
// 2.27 only.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace simgpu {

// Closed by exec. -1: errno says why.
inline int MakeMemoryFile(const char* name) {
  constexpr unsigned kCloseOnExec = 1;  // MFD_CLOEXEC
  return static_cast<int>(syscall(SYS_memfd_create, name, kCloseOnExec));
}

}  // namespace simgpu
