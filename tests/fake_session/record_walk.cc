// SPDX-License-Identifier: Apache-2.0
// The walk from record to record by their slots.
#include "tests/fake_session/record_walk.h"

#include <algorithm>

namespace syncline::test {

std::string_view RecordView::Text() const {
  const uint64_t room = bytes - sizeof(TextRecord);
  return {at + sizeof(TextRecord), std::min<uint64_t>(Load<TextRecord>().bytes, room)};
}

bool ForEachRecord(const ThreadRecords& thread,
                   const std::function<void(const RecordView&)>& visit) {
  const char* const end = thread.records + thread.bytes;
  for (const char* at = thread.records; at < end;) {
    RecordHead head;
    std::memcpy(&head, at, sizeof(head));
    const uint64_t bytes = uint64_t{head.slots} * kSlotBytes;
    if (bytes == 0 || bytes > static_cast<uint64_t>(end - at)) return false;
    visit({head, at, bytes});
    at += bytes;
  }
  return true;
}

}  // namespace syncline::test
