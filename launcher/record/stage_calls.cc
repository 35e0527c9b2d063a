// SPDX-License-Identifier: Apache-2.0
// A spool may lie: sizes are checked, and what is kept is bounded.
#include "launcher/record/stage_calls.h"

#include <cstring>
#include <utility>

#include "inject/core/domain_marks.h"

namespace syncline {
namespace {

constexpr size_t kMostStageNames = 1 << 16;  // of a stream; later ones are unknown
constexpr size_t kMostStreams = 1 << 16;     // of a process
constexpr size_t kMostStarted = 1 << 16;

template <typename Record>
bool Load(std::string_view bytes, Record* record) {
  if (bytes.size() < sizeof(Record)) return false;
  std::memcpy(record, bytes.data(), sizeof(Record));
  return true;
}

}  // namespace

void StageCalls::TakeBlock(const BlockHead& head, std::string_view payload) {
  const auto type = static_cast<BlockType>(head.type);
  if (type == BlockType::kProcess) {
    SpoolProcess process;
    if (is_known_ || !Load(payload, &process)) return;
    facts_ = process.facts;
    clock_ = static_cast<ClockId>(process.clock);
    is_known_ = true;
  }
  has_ended_ = has_ended_ || type == BlockType::kEnd;
  if (type != BlockType::kRecords) return;
  uint64_t& stream = stream_of_ring_[head.ring];
  while (payload.size() >= kSlotBytes) {
    RecordHead record;
    std::memcpy(&record, payload.data(), sizeof(record));
    const size_t bytes = size_t{record.slots} * kSlotBytes;
    if (bytes == 0 || bytes > payload.size()) return;
    TakeRecord(record, payload.substr(0, bytes), &stream);
    payload.remove_prefix(bytes);
  }
}

void StageCalls::TakeRecord(const RecordHead& head, std::string_view record, uint64_t* stream) {
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kStream:
    case RecordKind::kStreamEnd: {
      StreamRecord of;
      if (!Load(record, &of)) return;
      const bool ends = static_cast<RecordKind>(head.kind) == RecordKind::kStreamEnd;
      if (ends) streams_.erase(of.stream);
      *stream = ends || streams_.size() >= kMostStreams ? 0 : of.stream;
      return;
    }
    case RecordKind::kName:
    case RecordKind::kDomain:
      if (*stream != 0) TakeText(head, record, &streams_[*stream]);
      return;
    case RecordKind::kRange:
    case RecordKind::kRangeStart:
    case RecordKind::kRangeEnd:
      if (*stream != 0) TakeRange(head, record, &streams_[*stream]);
      return;
    default:
      return other_(head, record);
  }
}

void StageCalls::TakeText(const RecordHead& head, std::string_view record, Stream* stream) {
  TextRecord text;
  if (!Load(record, &text) || text.bytes > record.size() - sizeof(text)) return;
  const std::string value(record.substr(sizeof(text), text.bytes));
  if (static_cast<RecordKind>(head.kind) == RecordKind::kDomain) {
    const bool is_frameworks = (text.domain & (kDomainOfOperators | kDomainOfModules)) != 0;
    if (stream->domains.size() < kMostStageNames) stream->domains[head.id] = {value, is_frameworks};
  } else if (stream->names.size() < kMostStageNames) {
    stream->names[head.id] = value;
  }
}

bool StageCalls::IsOneOf(Stream* stream, uint32_t name, uint32_t domain) const {
  const auto text = stream->names.find(name);
  if (text == stream->names.end()) return false;
  const auto [known, is_new] = stream->stages.emplace(std::pair(name, domain), false);
  if (is_new) {
    const Domain& of = stream->domains[domain];
    known->second = !of.is_frameworks && is_stage_(text->second, of.name);
  }
  return known->second;
}

void StageCalls::TakeRange(const RecordHead& head, std::string_view record, Stream* stream) {
  RangeRecord range;
  if (!Load(record, &range) || (head.flags & kBegunClosed) != 0) return;
  const auto kind = static_cast<RecordKind>(head.kind);
  if (kind == RecordKind::kRangeEnd) {  // `begin` is its end, `end` its id
    const auto started = started_.find(range.end);
    if (started == started_.end()) return;
    if (range.begin >= started->second.begin)
      ended_(started->second.name, started->second.begin, range.begin);
    started_.erase(started);
    return;
  }
  if (!IsOneOf(stream, head.id, range.domain)) return;
  if (kind == RecordKind::kRange) {
    if (range.end >= range.begin) ended_(stream->names[head.id], range.begin, range.end);
  } else if (started_.size() < kMostStarted) {
    started_[range.end] = {stream->names[head.id], range.begin};
  }
}

}  // namespace syncline
