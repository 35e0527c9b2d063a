// SPDX-License-Identifier: Apache-2.0
// The text that events of one kind share: all but times and correlation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace syncline {

struct EventParts {
  std::string head;    // before the time stamps
  std::string middle;  // between them and the correlation
  std::string tail;    // after it, without the closing braces
};

// Direct-mapped by all that the text depends on: a miss costs one rewrite of the parts. One thread.
template <size_t kWords>
class EventPartsCache {
 public:
  using Key = std::array<uint64_t, kWords>;

  // Not `*known`: the parts are of another key and have to be written anew.
  EventParts* Find(const Key& key, bool* known) {
    if (entries_ == nullptr) entries_ = std::make_unique<Entry[]>(size_t{1} << kBits);
    uint64_t hash = 0;
    for (const uint64_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    Entry& entry = entries_[hash >> (64 - kBits)];
    *known = entry.filled && entry.key == key;
    entry.key = key;
    entry.filled = true;
    return &entry.parts;
  }

 private:
  static constexpr int kBits = 10;
  struct Entry {
    Key key{};
    bool filled = false;
    EventParts parts;
  };
  std::unique_ptr<Entry[]> entries_;  // null until something is asked for
};

}  // namespace syncline
