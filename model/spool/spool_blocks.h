// SPDX-License-Identifier: Apache-2.0
// Reads a spool file block by block, skips what is damaged, and says what was skipped.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/core/spool_format.h"

namespace syncline {

// What is missing from a spool file. All zero: the file is whole.
struct SpoolDamage {
  uint64_t bytes_skipped = 0;    // in the middle of the file: not part of a valid block
  uint64_t truncated_bytes = 0;  // at the end: a block that was cut off
  uint64_t blocks_lost = 0;      // gaps in the blocks' numbers
  uint64_t blocks_unknown = 0;   // of a later version or an unknown type, skipped
  uint64_t records_damaged = 0;  // records or definitions whose contents were not valid
  uint64_t names_left_out = 0;   // no damage: too many names were to be read again
  bool Any() const {
    return bytes_skipped + truncated_bytes + blocks_lost + blocks_unknown + records_damaged != 0;
  }
};

// One sentence per kind of damage, for the user.
std::vector<std::string> DescribeDamage(const SpoolDamage& damage);

// One valid block. `payload` belongs to the SpoolBlockReader, is aligned to 64 bytes, and lives
// until its next Next().
struct SpoolBlock {
  BlockHead head;
  const char* payload = nullptr;
  uint64_t file_offset = 0;  // of the head
  bool after_gap = false;    // blocks were lost just before this one: their rings are not known
};

// One open spool file. Everything in the file is hostile: a block counts only if its checksum does.
// Memory: one block. Not shared between threads.
class SpoolBlockReader {
 public:
  SpoolBlockReader() = default;
  ~SpoolBlockReader();
  SpoolBlockReader(const SpoolBlockReader&) = delete;
  SpoolBlockReader& operator=(const SpoolBlockReader&) = delete;

  // Opens `path` and checks that it is a spool of this version: its first block is a valid
  // kProcess, or, when that is damaged, another valid block follows.
  Status Open(const std::string& path);

  // Back to the first block; damage counts begin again.
  void Rewind();

  // The next valid block. False at the end of the file, or after a read error (read_error() says
  // which).
  bool Next(SpoolBlock* block);

  // Reads the block that Next once found at `file_offset`, into a buffer of its own.
  bool ReadAgain(uint64_t file_offset, BlockHead* head, std::vector<char>* payload);

  const SpoolDamage& damage() const { return damage_; }
  // What ended the reading; ok at the end of the file.
  const Status& read_error() const { return read_error_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t position() const { return position_; }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  // kBadHead and kBadPayload: damaged. kCut: the file ends inside the block.
  enum class Outcome { kValid, kOtherVersion, kBadHead, kBadPayload, kCut, kError };

  Outcome ReadBlock(uint64_t offset, SpoolBlock* block);
  bool ReadAt(uint64_t offset, void* out, size_t bytes);
  bool Grow(size_t bytes);
  uint64_t FindBlock(uint64_t offset, SpoolBlock* block);
  bool Accept(uint64_t end, SpoolBlock* block);
  Status NotASpool(Outcome outcome, const BlockHead& head) const;

  int fd_ = -1;
  std::string path_;
  uint64_t bytes_ = 0;
  uint64_t position_ = 0;
  uint64_t expected_sequence_ = 0;
  uint64_t search_budget_ = 0;  // bytes that may still be read to find a block after damage
  bool lost_before_ = false;
  std::unique_ptr<char, Free> buffer_;
  size_t buffer_bytes_ = 0;
  SpoolDamage damage_;
  Status read_error_;
};

}  // namespace syncline
