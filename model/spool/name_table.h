// SPDX-License-Identifier: Apache-2.0
// The names of one stream by id, in bounded memory: recent ones are kept, older ones are read again
// from the spool.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// Where some names of a stream were defined: in one block of the spool.
struct NamePlace {
  uint32_t first_id;
  uint32_t last_id;
  uint64_t block_offset;
  bool from_start;  // the stream already was the ring's current one when the block began
};

// Reads names again that a table no longer holds.
class NameSource {
 public:
  virtual ~NameSource() = default;
  virtual bool LoadName(const NamePlace& place, uint64_t stream, uint32_t id,
                        std::string* text) = 0;
};

// Bytes of text that all tables of one spool hold together.
struct NamePool {
  uint64_t used = 0;
  uint64_t limit = 16 << 20;
};

// Ids grow in the order of definition, so that a program with endless names (`step 1`, `step 2`,
// ...) needs old ids only for ranges that are still open.
class NameTable {
 public:
  NameTable(uint64_t stream, NamePool* pool, NameSource* source)
      : stream_(stream), pool_(pool), source_(source) {}
  ~NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // False: `id` is 0 or smaller than one defined before; ignored.
  bool Define(uint32_t id, std::string_view text, uint64_t block_offset, bool from_start);

  // Null: never defined, or lost with a block. Valid until the next call of Define or Find.
  const std::string_view* Find(uint32_t id);

 private:
  struct Chunk {
    NamePlace place;
    std::vector<uint32_t> ends;  // end in `text` of the name first_id + index
    std::string text;
  };
  struct Loaded {
    uint32_t id = 0;
    std::string text;
  };

  Chunk& ChunkFor(uint32_t id, uint64_t block_offset, bool from_start);
  void EvictOldest();
  const std::string_view* Load(uint32_t id);

  uint64_t stream_;
  NamePool* pool_;
  NameSource* source_;
  std::deque<Chunk> chunks_;
  std::vector<NamePlace> evicted_;
  std::vector<Loaded> loaded_;
  size_t next_loaded_ = 0;
  std::string_view found_;
};

}  // namespace syncline
