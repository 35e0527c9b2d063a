// SPDX-License-Identifier: Apache-2.0
// Tells a file from the one that was written in its place.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

#include "inject/core/sys.h"

namespace syncline {

// Of its size and of when it was written: a copy on another machine may have both. Never 0.
inline uint64_t FileMark(const struct stat& facts) {
  constexpr uint64_t kMixer = 0x9E3779B97F4A7C15u;
  uint64_t mark = static_cast<uint64_t>(facts.st_size) * kMixer;
  mark = (mark ^ static_cast<uint64_t>(facts.st_mtim.tv_sec)) * kMixer;
  mark = (mark ^ static_cast<uint64_t>(facts.st_mtim.tv_nsec)) * kMixer;
  return mark | 1;
}

// 0: it is not there. In a hook.
inline uint64_t FileMarkOf(const char* path) {
  struct stat facts;
  const long error = SysCall(SYS_newfstatat, AT_FDCWD, AsLong(path), AsLong(&facts), 0);
  return error == 0 ? FileMark(facts) : 0;
}

}  // namespace syncline
