// SPDX-License-Identifier: Apache-2.0
// Pieces of another process's memory, read in as few calls as can be, within a bound.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sampler/remote_memory.h"

namespace syncline {

// Each piece that is asked for once is kept until the next Begin, and known then: the next time
// all of them are read together, in one call.
class Snapshot {
 public:
  static constexpr size_t kMostBytes = 192;       // of a piece
  static constexpr size_t kMostPieces = 1 << 14;  // that are kept

  explicit Snapshot(RemoteMemory* memory) : memory_(memory) {}

  // Reads again what has been asked for since the last Begin. From then on at most `most_reads`
  // pieces are read one by one.
  void Begin(size_t most_reads);
  // Null: it cannot be read, or the bound is reached. Lives until the next Begin. Of one address
  // always the same number of bytes is asked for.
  const char* At(uint64_t address, size_t bytes);
  // Whether nothing was read one by one since Begin.
  bool is_whole() const { return reads_ == 0; }

 private:
  struct Piece {
    uint64_t address;
    uint32_t bytes;
    bool is_read;
    bool is_wanted;  // since Begin
    char text[kMostBytes];
  };

  RemoteMemory* memory_;
  std::deque<Piece> pieces_;  // do not move while others are added
  std::unordered_map<uint64_t, Piece*> by_address_;
  std::vector<RemotePiece> batch_;
  size_t most_reads_ = 0;
  size_t reads_ = 0;
};

}  // namespace syncline
