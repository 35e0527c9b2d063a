// SPDX-License-Identifier: Apache-2.0
// Finds the blocks of a spool of version 1 in memory, and the records in them.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <unordered_map>
#include <vector>

#include "inject/core/spool_format.h"

namespace syncline::spool_v1 {

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void Store(const T& value, char* to) {
  std::memcpy(to, &value, sizeof(T));
}

// CRC-32C of the head with checksum 0, then of the payload.
uint32_t ChecksumOf(BlockHead head, const char* payload);

struct Block {
  BlockHead head;
  size_t offset;  // of the head
  bool is_copy;   // its number was seen before: readers leave it out
  size_t PayloadOffset() const { return offset + sizeof(BlockHead); }
};

// As SpoolBlockReader finds them.
struct Blocks {
  std::vector<Block> whole;  // whatever their version is
  // Offsets of what begins like a block in what is damaged or cut off.
  std::vector<size_t> others;
};
Blocks FindBlocks(const std::vector<char>& file);

// Tells of each record of kRecords blocks, given in order, to which stream it belongs.
class RecordWalk {
 public:
  // `stream` is 0 where it is not known; `record` has at least one slot.
  using OnRecord = std::function<void(uint64_t stream, char* record, uint64_t bytes)>;

  void Block(uint32_t ring, char* payload, uint64_t bytes, const OnRecord& on_record);

 private:
  std::unordered_map<uint32_t, uint64_t> streams_;  // by ring
};

}  // namespace syncline::spool_v1
