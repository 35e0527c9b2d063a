// SPDX-License-Identifier: Apache-2.0
// The rules are those of model/spool_blocks.cc and model/spool_reader.cc, on a file in memory.
#include "tests/spool_v1/spool_walk.h"

#include <algorithm>

#include "inject/core/crc32c.h"
#include "tests/spool_v1/spool_v1.h"

namespace syncline::spool_v1 {
namespace {

constexpr uint32_t kMaxTid = (1u << 22) - 1;

size_t PaddedEnd(const Block& block) {
  return block.PayloadOffset() + ((size_t{block.head.bytes} + 7) & ~size_t{7});
}

bool LooksLikeHead(const std::vector<char>& file, size_t at, BlockHead* head) {
  if (file.size() - at < sizeof(*head)) return false;
  *head = Load<BlockHead>(file.data() + at);
  return head->magic == kBlockMagic;
}

// What a record says of the stream of its ring; others leave it as it was.
uint64_t StreamAfter(uint64_t stream, const char* record) {
  const auto head = Load<RecordHead>(record);
  if (head.kind == static_cast<uint8_t>(RecordKind::kStreamEnd)) return 0;
  if (head.kind != static_cast<uint8_t>(RecordKind::kStream)) return stream;
  return head.id != 0 && head.id <= kMaxTid ? Load<StreamRecord>(record).stream : 0;
}

}  // namespace

uint32_t ChecksumOf(BlockHead head, const char* payload) {
  head.checksum = 0;
  return Crc32c(Crc32c(0, &head, sizeof(head)), payload, head.bytes);
}

Blocks FindBlocks(const std::vector<char>& file) {
  Blocks found;
  uint64_t expected = 0;
  // False heads may claim 64 MiB each: without a bound, a hostile file of n bytes would cost n^2.
  uint64_t budget = 4 * uint64_t{file.size()} + 4 * uint64_t{kMaxBlockBytes};
  size_t at = 0;
  while (at < file.size()) {
    Block block = {};
    if (!LooksLikeHead(file, at, &block.head)) {
      at += 8;
      continue;
    }
    block.offset = at;
    const size_t room = file.size() - block.PayloadOffset();
    const uint32_t bytes = block.head.bytes;
    const bool fits = bytes <= kMaxBlockBytes && bytes <= room && bytes <= budget;
    if (!fits ||
        ChecksumOf(block.head, file.data() + block.PayloadOffset()) != block.head.checksum) {
      if (fits) budget -= bytes;
      found.others.push_back(at);
      at += 8;
      continue;
    }
    block.is_copy = block.head.sequence < expected;
    if (!block.is_copy) expected = uint64_t{block.head.sequence} + 1;
    found.whole.push_back(block);
    at = PaddedEnd(block);
  }
  return found;
}

void RecordWalk::Block(uint32_t ring, char* payload, uint64_t bytes, const OnRecord& on_record) {
  if (ring >= kMaxRings) return;
  uint64_t& stream = streams_[ring];
  while (bytes >= kSlotBytes) {
    const uint64_t length = uint64_t{Load<RecordHead>(payload).slots} * kSlotBytes;
    if (length == 0 || length > bytes) return;
    stream = StreamAfter(stream, payload);
    on_record(stream, payload, length);
    payload += length;
    bytes -= length;
  }
}

}  // namespace syncline::spool_v1
