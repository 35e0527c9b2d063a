// SPDX-License-Identifier: Apache-2.0
// Helpers of the fuzz targets.
#include "model/testing/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace syncline::testing {

MemoryFile::MemoryFile(const void* data, size_t size) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  Require(fd_ >= 0 && ::write(fd_, data, size) == static_cast<ssize_t>(size), "memfd");
  path_ = "/proc/self/fd/" + std::to_string(fd_);
}

MemoryFile::~MemoryFile() { ::close(fd_); }

void Require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace syncline::testing
