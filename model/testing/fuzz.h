// SPDX-License-Identifier: Apache-2.0
// What a fuzz target offers to libFuzzer and to the runner that repeats it without libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Returns 0; aborts when a promise is broken.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace syncline::testing {

// Good inputs to start from; each fuzz target defines its own.
std::vector<std::string> FuzzSeeds();

// A file with a path, until this goes; in memory where the system has a place for that.
class MemoryFile {
 public:
  MemoryFile(const void* data, size_t size);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Prints the expression and aborts, also in release builds.
void Require(bool good, const char* what);

}  // namespace syncline::testing
