// SPDX-License-Identifier: Apache-2.0
// Block layer of the spool reader: heads, checksums, finding the next block after damage.
#include "model/spool/spool_blocks.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/run_file.h"
#include "inject/core/crc32c.h"

namespace syncline {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kSearchChunk = 1 << 16;

uint64_t PaddedEnd(uint64_t offset, uint32_t bytes) {
  return offset + sizeof(BlockHead) + ((uint64_t{bytes} + 7) & ~uint64_t{7});
}

uint32_t ChecksumOf(BlockHead head, const void* payload) {
  head.checksum = 0;
  return Crc32c(Crc32c(0, &head, sizeof(head)), payload, head.bytes);
}

bool KnownType(uint16_t type) {
  return type >= static_cast<uint16_t>(BlockType::kProcess) &&
         type <= static_cast<uint16_t>(BlockType::kLast);
}

}  // namespace

std::vector<std::string> DescribeDamage(const SpoolDamage& damage) {
  std::vector<std::string> lines;
  const auto add = [&lines](uint64_t count, std::string noun, const char* one, const char* many) {
    if (count != 1) noun += 's';
    if (count != 0) lines.push_back(std::to_string(count) + " " + noun + (count == 1 ? one : many));
  };
  add(damage.bytes_skipped, "byte", " in the middle of the spool was damaged and left out",
      " in the middle of the spool were damaged and left out");
  add(damage.truncated_bytes, "byte",
      " at the end of the spool was a block cut off (the machine or the consumer died)",
      " at the end of the spool were a block cut off (the machine or the consumer died)");
  add(damage.blocks_lost, "block", " of the spool is missing", " of the spool are missing");
  add(damage.blocks_unknown, "block", " of the spool was written by another version and left out",
      " of the spool were written by another version and left out");
  add(damage.records_damaged, "record", " was not valid and left out",
      " were not valid and left out");
  constexpr char kNameLeftOut[] =
      " a name was left out: there are more different names than are kept (give ranges fewer "
      "different names)";
  add(damage.names_left_out, "time", kNameLeftOut, kNameLeftOut);
  return lines;
}

SpoolBlockReader::~SpoolBlockReader() {
  if (fd_ >= 0) ::close(fd_);
}

Status SpoolBlockReader::Open(const std::string& path) {
  path_ = path;
  std::string why;
  fd_ = OpenRunFile(path, &bytes_, &why);
  if (fd_ < 0) {
    return Status::Error("cannot open spool " + path + ": " + why +
                         "; check that it exists and is readable by you");
  }
  Rewind();
  SpoolBlock block;
  const Outcome first = ReadBlock(0, &block);
  if (first == Outcome::kError) return read_error_;
  const BlockHead head = block.head;
  if (first != Outcome::kValid && FindBlock(8, &block) == 0) return NotASpool(first, head);
  Rewind();
  return Status();
}

Status SpoolBlockReader::NotASpool(Outcome outcome, const BlockHead& head) const {
  if (bytes_ == 0) {
    return Status::Error(
        "spool " + path_ +
        " is empty: who was to write it died before that, so what its process recorded may be "
        "lost; remove it");
  }
  if (outcome == Outcome::kOtherVersion) {
    return Status::Error("spool " + path_ + " has format version " + std::to_string(head.version) +
                         ", this syncline reads version " + std::to_string(kSpoolVersion) +
                         "; recover it with the syncline that recorded it");
  }
  if (outcome == Outcome::kCut) {
    return Status::Error("spool " + path_ +
                         " was cut off in its first block: nothing in it can be read; remove it");
  }
  if (outcome == Outcome::kBadPayload) {
    return Status::Error(
        "spool " + path_ +
        " is damaged from its first block on: nothing in it can be read; remove it");
  }
  return Status::Error(
      path_ +
      " is not a Syncline spool (its first bytes are not a block); name a file that ends in " +
      kSpoolSuffix);
}

void SpoolBlockReader::Rewind() {
  position_ = 0;
  expected_sequence_ = 0;
  lost_before_ = false;
  damage_ = SpoolDamage();
  read_error_ = Status();
  // Heads found while searching may claim 64 MiB each and be false: without a bound, a hostile file
  // of n bytes would cost n^2.
  search_budget_ = 4 * bytes_ + 4 * uint64_t{kMaxBlockBytes};
}

bool SpoolBlockReader::ReadAt(uint64_t offset, void* out, size_t bytes) {
  char* p = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::pread(fd_, p, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const char* why = got == 0 ? "it became shorter while it was read" : std::strerror(errno);
      read_error_ =
          Status::Error("cannot read spool " + path_ + " at byte " + std::to_string(offset) + ": " +
                        why + "; what came before it was used");
      return false;
    }
    p += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool SpoolBlockReader::Grow(size_t bytes) {
  if (bytes <= buffer_bytes_) return true;
  const size_t rounded = (std::max(bytes, size_t{1} << 20) + 4095) & ~size_t{4095};
  buffer_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, rounded)));
  buffer_bytes_ = buffer_ ? rounded : 0;
  if (!buffer_)
    read_error_ = Status::OutOfMemory("out of memory reading spool " + path_ +
                                      "; free memory, or raise `ulimit -v`");
  return buffer_ != nullptr;
}

SpoolBlockReader::Outcome SpoolBlockReader::ReadBlock(uint64_t offset, SpoolBlock* block) {
  if (bytes_ - offset < sizeof(BlockHead)) return Outcome::kCut;
  BlockHead& head = block->head;
  if (!ReadAt(offset, &head, sizeof(head))) return Outcome::kError;
  if (head.magic != kBlockMagic || head.bytes > kMaxBlockBytes) return Outcome::kBadHead;
  if (bytes_ - offset - sizeof(head) < head.bytes) return Outcome::kCut;
  if (!Grow(head.bytes)) return Outcome::kError;
  if (!ReadAt(offset + sizeof(head), buffer_.get(), head.bytes)) return Outcome::kError;
  if (ChecksumOf(head, buffer_.get()) != head.checksum) {
    return head.version == kSpoolVersion ? Outcome::kBadPayload : Outcome::kOtherVersion;
  }
  block->payload = buffer_.get();
  block->file_offset = offset;
  if (head.version != kSpoolVersion || !KnownType(head.type)) return Outcome::kOtherVersion;
  return Outcome::kValid;
}

// Looks for a valid block at or after `offset` (blocks begin at multiples of 8). Returns its
// offset, 0: none.
uint64_t SpoolBlockReader::FindBlock(uint64_t offset, SpoolBlock* block) {
  std::vector<char> chunk(kSearchChunk);
  offset = (offset + 7) & ~uint64_t{7};
  while (offset + sizeof(BlockHead) <= bytes_) {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(kSearchChunk, bytes_ - offset));
    if (search_budget_ < want || !ReadAt(offset, chunk.data(), want)) return 0;
    search_budget_ -= want;
    for (size_t at = 0; at + sizeof(uint32_t) <= want; at += 8) {
      uint32_t magic;
      std::memcpy(&magic, chunk.data() + at, sizeof(magic));
      if (magic != kBlockMagic || bytes_ - offset - at < sizeof(BlockHead)) continue;
      const Outcome outcome = ReadBlock(offset + at, block);
      if (outcome == Outcome::kValid) return offset + at;
      const uint64_t cost = block->head.bytes <= kMaxBlockBytes ? block->head.bytes : 0;
      if (outcome == Outcome::kError || search_budget_ < cost) return 0;
      search_budget_ -= cost;
    }
    offset += want & ~size_t{7};
    if (want < kSearchChunk) break;
  }
  return 0;
}

// Takes a valid block that ends at `end`. False: its number was seen before, so it is a copy and no
// data.
bool SpoolBlockReader::Accept(uint64_t end, SpoolBlock* block) {
  position_ = std::min(end, bytes_);
  const uint64_t sequence = block->head.sequence;
  if (sequence < expected_sequence_) {
    damage_.bytes_skipped += sizeof(BlockHead) + block->head.bytes;
    return false;
  }
  damage_.blocks_lost += sequence - expected_sequence_;
  block->after_gap = lost_before_ || sequence != expected_sequence_;
  lost_before_ = false;
  expected_sequence_ = sequence + 1;
  return true;
}

bool SpoolBlockReader::Next(SpoolBlock* block) {
  while (position_ < bytes_) {
    const uint64_t at = position_;
    const Outcome outcome = ReadBlock(at, block);
    if (outcome == Outcome::kError) return false;
    if (outcome == Outcome::kValid) {
      if (Accept(PaddedEnd(at, block->head.bytes), block)) return true;
      continue;
    }
    if (outcome == Outcome::kOtherVersion && block->payload == buffer_.get() &&
        block->file_offset == at) {
      ++damage_.blocks_unknown;
      expected_sequence_ = uint64_t{block->head.sequence} + 1;
      lost_before_ = true;
      position_ = std::min(PaddedEnd(at, block->head.bytes), bytes_);
      continue;
    }
    const uint64_t found = FindBlock(at + 8, block);
    if (!read_error_.ok()) return false;
    if (found == 0) {
      (outcome == Outcome::kCut ? damage_.truncated_bytes : damage_.bytes_skipped) += bytes_ - at;
      position_ = bytes_;
      return false;
    }
    damage_.bytes_skipped += found - at;
    if (Accept(PaddedEnd(found, block->head.bytes), block)) return true;
  }
  return false;
}

bool SpoolBlockReader::ReadAgain(uint64_t file_offset, BlockHead* head,
                                 std::vector<char>* payload) {
  if (file_offset > bytes_ || bytes_ - file_offset < sizeof(BlockHead)) return false;
  if (!ReadAt(file_offset, head, sizeof(*head))) return false;
  if (head->magic != kBlockMagic || head->bytes > kMaxBlockBytes) return false;
  if (bytes_ - file_offset - sizeof(*head) < head->bytes) return false;
  payload->resize(head->bytes);
  if (!ReadAt(file_offset + sizeof(*head), payload->data(), head->bytes)) return false;
  return ChecksumOf(*head, payload->data()) == head->checksum;
}

}  // namespace syncline
