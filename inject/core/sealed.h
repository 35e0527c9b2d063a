// SPDX-License-Identifier: Apache-2.0
// Whether shared memory that another process also holds can be cut short while we read it.
#pragma once

#include <fcntl.h>
#include <sys/statfs.h>

#include "inject/core/sys.h"

namespace syncline {

// From Linux 3.17 on, in <linux/fcntl.h>, which older headers lack.
inline constexpr int kAddSeals = 1033;
inline constexpr int kGetSeals = 1034;
inline constexpr int kSealSeal = 1;
inline constexpr int kSealShrink = 2;
inline constexpr int kSealGrow = 4;

// Keeps a memfd as large as it is, whoever else has it.
inline void SealSize(int fd) {
  SysCall(SYS_fcntl, fd, kAddSeals, kSealShrink | kSealGrow | kSealSeal);
}

// True: every byte up to the present size can be read until the last mapping is gone. Only a memfd
// of ordinary pages promises that: one of huge pages faults where their pool is empty.
inline bool CannotShrink(int fd) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs system = {};
  const long seals = SysCall(SYS_fcntl, fd, kGetSeals);
  return seals > 0 && (seals & kSealShrink) != 0 &&
         SysCall(SYS_fstatfs, fd, AsLong(&system)) == 0 && system.f_type == kTmpfs;
}

}  // namespace syncline
