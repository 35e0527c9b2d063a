// SPDX-License-Identifier: Apache-2.0
// What was open at the end. A process that drains itself tells that at its exit, and then
// destructors and other threads go on: what ends there is struck, and the rest is handed over last.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "inject/core/domain_marks.h"
#include "model/spool/spool_reader.h"

namespace syncline {
namespace {

// More are in a hostile file only, or in a process of thousands of threads; those are not waited
// for.
constexpr size_t kMostKept = 1 << 17;

// Takes the range from the stack. Of ranges begun while the gate was closed several have one
// `begin`. False: it is not there.
bool Take(uint64_t begin, uint32_t name, uint16_t depth, std::vector<OpenRange>* open) {
  const auto ended = std::find_if(open->rbegin(), open->rend(), [&](const OpenRange& range) {
    const bool closed = (range.flags & kBegunClosed) != 0;
    return range.begin == begin && range.name == name &&
           (!closed || &range - open->data() == depth);
  });
  if (ended == open->rend()) return false;
  open->erase(std::next(ended).base());
  return true;
}

}  // namespace

// Null: it cannot be. If all records of the stream are lost, or it had none, what was open is shown
// without its name.
Stream* SpoolReader::StreamOfOpen(uint64_t id, uint32_t tid) {
  if (id == 0 || tid == 0 || tid > kMaxTid) return nullptr;
  bool made;
  Stream* stream = StreamById(id, &made);
  if (made) {
    stream->tid_ = tid;
    stream->uncertain_ = true;
    const StreamRecord record{{0, 0, 1, tid}, id, 0, 0, 0};
    sink_->OnStream(*stream, record);
  }
  return stream;
}

void SpoolReader::OnOpenCallBlock(const SpoolBlock& block) {
  SpoolOpenCall open{};
  if (block.head.bytes == sizeof(open)) std::memcpy(&open, block.payload, sizeof(open));
  const bool whole = open.call.begin != 0 && open.call.end == 0 && IsSource(open.call.source);
  Stream* stream = whole ? StreamOfOpen(open.stream, open.tid) : nullptr;
  if (stream == nullptr) {
    ++damage_.records_damaged;
    return;
  }
  std::vector<SpoolOpenCall>& calls = stream->open_calls_;
  open_kept_ -= std::erase_if(
      calls, [&](const SpoolOpenCall& other) { return other.call.source == open.call.source; });
  KeptOpen(stream, 1);
  calls.push_back(open);
  if (open_kept_ > kMostKept) TellOpen(stream);
}

// A process may tell more than once what is open: the last time counts.
void SpoolReader::OnOpenBlock(const SpoolBlock& block) {
  SpoolOpen head;
  const uint32_t bytes = block.head.bytes;
  if (bytes >= sizeof(head)) std::memcpy(&head, block.payload, sizeof(head));
  const bool whole = bytes >= sizeof(head) && head.depth != 0 && head.depth <= kMaxOpenRanges &&
                     (bytes - sizeof(head)) / sizeof(OpenRange) >= head.depth;
  Stream* stream = whole ? StreamOfOpen(head.stream, head.tid) : nullptr;
  if (stream == nullptr) {
    ++damage_.records_damaged;
    return;
  }
  std::vector<OpenRange>& ranges = stream->open_;
  open_kept_ -= ranges.size();
  ranges = std::vector<OpenRange>(head.depth);
  std::memcpy(ranges.data(), block.payload + sizeof(head), head.depth * sizeof(OpenRange));
  if (stream->last_begin_ != 0)
    Take(stream->last_begin_, stream->last_name_, stream->last_depth_, &ranges);
  KeptOpen(stream, ranges.size());
  if (open_kept_ > kMostKept) TellOpen(stream);
}

void SpoolReader::KeptOpen(Stream* stream, size_t more) {
  if (stream->open_since_ == 0) stream->open_since_ = blocks_seen_;
  open_kept_ += more;
}

void SpoolReader::Strike(Stream* stream, const RangeRecord& ended) {
  std::vector<OpenRange>& open = stream->open_;
  if (!Take(ended.begin, ended.head.id, ended.depth, &open)) return;
  --open_kept_;
  if (open.size() <= open.capacity() / 2) open.shrink_to_fit();  // kMostKept bounds the memory
}

void SpoolReader::StrikeCall(Stream* stream, const CallRecord& ended) {
  open_kept_ -= std::erase_if(stream->open_calls_, [&](const SpoolOpenCall& open) {
    return open.call.source == ended.source && open.call.begin == ended.begin &&
           open.call.head.id == ended.head.id;
  });
}

// The stream is given up, or there is too much.
void SpoolReader::TellOpen(Stream* stream) {
  TellOpenRanges(stream);
  TellOpenCalls(stream);
}

// In the order in which the process told of it: the ranges of all streams, then their calls.
void SpoolReader::TellAllOpen() {
  std::vector<Stream*> order;
  for (auto& [id, stream] : streams_) {
    if (!stream.open_.empty() || !stream.open_calls_.empty()) order.push_back(&stream);
  }
  std::sort(order.begin(), order.end(),
            [](const Stream* a, const Stream* b) { return a->open_since_ < b->open_since_; });
  for (Stream* stream : order) TellOpenRanges(stream);
  for (Stream* stream : order) TellOpenCalls(stream);
}

void SpoolReader::TellOpenRanges(Stream* stream) {
  const std::vector<OpenRange> ranges = std::move(stream->open_);
  stream->open_.clear();
  open_kept_ -= ranges.size();
  for (size_t depth = ranges.size(); depth-- > 0;) EmitOpen(stream, ranges[depth], depth);
}

void SpoolReader::TellOpenCalls(Stream* stream) {
  const std::vector<SpoolOpenCall> calls = std::move(stream->open_calls_);
  stream->open_calls_.clear();
  open_kept_ -= calls.size();
  for (const SpoolOpenCall& open : calls) {
    // While the vendor's interface was left to another client no call's end was seen.
    if (open.call.begin < last_lent_[open.call.source]) continue;
    stream->UseStack(open.stack);
    sink_->OnOpenCall(*stream, open.call);
    stream->UseStack(0);
  }
}

void SpoolReader::EmitOpen(Stream* stream, const OpenRange& open, size_t depth) {
  if (!IsSource(open.source)) {
    ++damage_.records_damaged;
    return;
  }
  RangeRecord record{};
  const auto flags = static_cast<uint8_t>(open.flags & ~(kNameLost | kIsMarked));
  record.head = {static_cast<uint8_t>(RecordKind::kRange), flags, 1, open.name};
  record.begin = open.begin;
  record.domain = open.domain;
  record.depth = static_cast<uint16_t>(depth);
  record.source = open.source;
  const bool has_payload = (open.flags & kHasPayload) != 0;
  if (has_payload) stream->TakePayloads(open.begin, &payloads_);
  const bool has_attributes = (open.flags & kHasAttributes) != 0;
  const RangeEvent event{*stream, record, has_attributes ? &open.attributes : nullptr,
                         has_payload ? &payloads_ : nullptr};
  const uint16_t marks = MarksOf(*stream, record);
  if ((marks & kDomainOfOperators) != 0) {
    sink_->OnOpenOperator(event);
  } else if ((marks & kDomainOfModules) != 0) {
    sink_->OnOpenModule(event);
  } else {
    sink_->OnOpenRange(event);
  }
}

}  // namespace syncline
