// SPDX-License-Identifier: Apache-2.0
// Memory of another process, as the kernel lets us read it: nothing is stopped, nothing is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace syncline {

struct RemotePiece {
  uint64_t address;
  char* to;
  size_t bytes;
};

class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;
  // How many of the pieces were read whole, from the first one on. Behind that, what `to` holds is
  // not known.
  virtual size_t Read(std::span<const RemotePiece> pieces) = 0;

  bool Read(uint64_t address, void* to, size_t bytes) {
    const RemotePiece piece = {address, static_cast<char*>(to), bytes};
    return Read(std::span(&piece, 1)) == 1;
  }
  template <typename T>
  bool Read(uint64_t address, T* value) {
    return Read(address, value, sizeof(T));
  }
};

// By process_vm_readv: of a process of our user that we started, or may debug.
class ProcessMemory final : public RemoteMemory {
 public:
  explicit ProcessMemory(int pid) : pid_(pid) {}
  using RemoteMemory::Read;
  size_t Read(std::span<const RemotePiece> pieces) override;
  // Whether the kernel refuses every read of the process, which lives.
  bool IsRefused() const;

 private:
  int pid_;
};

}  // namespace syncline
