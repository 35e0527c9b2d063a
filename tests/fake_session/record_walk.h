// SPDX-License-Identifier: Apache-2.0
// Walks over the records that a thread wrote.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "inject/core/record.h"
#include "tests/fake_session/fake_session.h"

namespace syncline::test {

// A record where it stands.
struct RecordView {
  RecordHead head;
  const char* at;
  uint64_t bytes;

  RecordKind kind() const { return static_cast<RecordKind>(head.kind); }

  // What stands `offset` bytes behind its beginning; it must have been written.
  template <typename T>
  T Load(uint64_t offset = 0) const {
    if (offset + sizeof(T) > bytes) std::abort();
    T value;
    std::memcpy(&value, at + offset, sizeof(T));
    return value;
  }

  // The text that follows a TextRecord, cut where the record ends.
  std::string_view Text() const;
};

// In the order written. False: the record after the last one visited has a bad size.
bool ForEachRecord(const ThreadRecords& thread,
                   const std::function<void(const RecordView&)>& visit);

}  // namespace syncline::test
