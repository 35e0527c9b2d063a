// SPDX-License-Identifier: Apache-2.0
// Helpers of the fuzz targets.
#include "model/testing/fuzz.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace syncline::testing {

MemoryFile::MemoryFile(const void* data, size_t size) : path_("/dev/shm/fuzz-XXXXXX") {
  int fd = ::mkstemp(path_.data());
  if (fd < 0) fd = ::mkstemp((path_ = "/tmp/fuzz-XXXXXX").data());
  Require(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size), "a file is written");
  ::close(fd);
}

MemoryFile::~MemoryFile() { ::unlink(path_.c_str()); }

void Require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace syncline::testing
