// SPDX-License-Identifier: Apache-2.0
// Shared memory of a file that may be cut short, or that its file system has no room for: reading
// it does not end this process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

// A page that cannot be had is a SIGBUS. The handler, the launcher's only one for it, puts zeros in
// the place of that page and of all behind it; the reader, who trusts nothing that it reads, goes
// on and asks broken() then. Not for the injected side. Map and Unmap: any thread.
class GuardedMapping {
 public:
  GuardedMapping() = default;
  ~GuardedMapping() { Unmap(); }
  GuardedMapping(const GuardedMapping&) = delete;
  GuardedMapping& operator=(const GuardedMapping&) = delete;

  // Maps the first `bytes` of `fd`, to read and write. 0 or errno.
  int Map(int fd, size_t bytes);
  void Unmap();

  void* memory() const { return memory_; }  // null: nothing is mapped
  size_t bytes() const { return bytes_; }
  bool broken() const;

  // In each thread that reads or writes such memory: a fault whose signal is blocked is deadly.
  static void AllowInThread();

  struct Guard;

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  Guard* guard_ = nullptr;
};

}  // namespace syncline
