// SPDX-License-Identifier: Apache-2.0
// Chunks of names, the oldest given up first.
#include "model/spool/name_table.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kChunkNames = 256;
constexpr size_t kChunkText = 64 << 10;
constexpr size_t kChunkOverhead = 160;
constexpr size_t kLoadedNames = 64;

uint64_t Cost(size_t names, size_t text) { return kChunkOverhead + 4 * names + text; }

}  // namespace

NameTable::~NameTable() {
  for (const Chunk& chunk : chunks_) pool_->used -= Cost(chunk.ends.size(), chunk.text.size());
}

bool NameTable::Define(uint32_t id, std::string_view text, uint64_t block_offset, bool from_start) {
  if (id == 0) return false;
  if (!chunks_.empty() && id <= chunks_.back().place.last_id) return false;
  Chunk& chunk = ChunkFor(id, block_offset, from_start);
  pool_->used -= Cost(chunk.ends.size(), chunk.text.size());
  chunk.text.append(text);
  chunk.ends.push_back(static_cast<uint32_t>(chunk.text.size()));
  chunk.place.last_id = id;
  pool_->used += Cost(chunk.ends.size(), chunk.text.size());
  while (pool_->used > pool_->limit && chunks_.size() > 1) EvictOldest();
  return true;
}

NameTable::Chunk& NameTable::ChunkFor(uint32_t id, uint64_t block_offset, bool from_start) {
  if (!chunks_.empty()) {
    Chunk& last = chunks_.back();
    if (last.place.block_offset == block_offset && last.place.last_id + 1 == id &&
        last.ends.size() < kChunkNames && last.text.size() < kChunkText) {
      return last;
    }
  }
  chunks_.push_back(Chunk{{id, id, block_offset, from_start}, {}, {}});
  pool_->used += Cost(0, 0);
  return chunks_.back();
}

void NameTable::EvictOldest() {
  const Chunk& chunk = chunks_.front();
  pool_->used -= Cost(chunk.ends.size(), chunk.text.size());
  if (!evicted_.empty() && evicted_.back().block_offset == chunk.place.block_offset) {
    evicted_.back().last_id = chunk.place.last_id;
  } else {
    evicted_.push_back(chunk.place);
  }
  chunks_.pop_front();
}

const std::string_view* NameTable::Find(uint32_t id) {
  auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), id,
      [](uint32_t wanted, const Chunk& chunk) { return wanted < chunk.place.first_id; });
  if (after == chunks_.begin()) return Load(id);
  const Chunk& chunk = *--after;
  if (id > chunk.place.last_id) return nullptr;
  const size_t index = id - chunk.place.first_id;
  const uint32_t begin = index == 0 ? 0 : chunk.ends[index - 1];
  found_ = std::string_view(chunk.text).substr(begin, chunk.ends[index] - begin);
  return &found_;
}

const std::string_view* NameTable::Load(uint32_t id) {
  for (const Loaded& entry : loaded_) {
    if (entry.id == id) {
      found_ = entry.text;
      return &found_;
    }
  }
  auto after = std::upper_bound(
      evicted_.begin(), evicted_.end(), id,
      [](uint32_t wanted, const NamePlace& place) { return wanted < place.first_id; });
  if (after == evicted_.begin() || id == 0) return nullptr;
  const NamePlace& place = *--after;
  std::string text;
  if (id > place.last_id || !source_->LoadName(place, stream_, id, &text)) return nullptr;
  if (loaded_.size() < kLoadedNames) loaded_.emplace_back();
  Loaded& entry = loaded_[next_loaded_];
  next_loaded_ = (next_loaded_ + 1) % kLoadedNames;
  entry = {id, std::move(text)};
  found_ = entry.text;
  return &found_;
}

}  // namespace syncline
