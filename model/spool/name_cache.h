// SPDX-License-Identifier: Apache-2.0
// Remembers what a stream's name ids stand for.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/spool/streams.h"

namespace syncline {

// Name ids of a stream are dense: a table each, by its serial number.
template <typename Value>
class NameCache {
 public:
  // The value of `name`; `make` gives it the first time, and each time for ids beyond the cap.
  template <typename Make>
  Value Get(const Stream& stream, uint32_t name, const Make& make) {
    if (name >= kMostNames) return make();
    if (table_ == nullptr || stream.serial() != serial_) Turn(stream.serial());
    if (name >= table_->size()) table_->resize(name + 1);
    Entry& entry = (*table_)[name];
    if (!entry.known) entry = {make(), true};
    return entry.value;
  }

 private:
  static constexpr uint32_t kMostNames = 1 << 14;
  static constexpr size_t kMostTables = 256;
  struct Entry {
    Value value{};
    bool known = false;
  };

  void Turn(uint32_t serial) {
    if (tables_.size() >= kMostTables && !tables_.contains(serial)) tables_.clear();
    table_ = &tables_[serial];
    serial_ = serial;
  }

  std::unordered_map<uint32_t, std::vector<Entry>> tables_;  // by serial
  std::vector<Entry>* table_ = nullptr;                      // of the stream seen last
  uint32_t serial_ = 0;
};

}  // namespace syncline
