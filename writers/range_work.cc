// SPDX-License-Identifier: Apache-2.0
// Keeps what matters, in little memory.
#include "writers/range_work.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kMostLaunches = 1 << 24;
constexpr size_t kMostRanges = 1 << 24;
constexpr size_t kMostOps = 1 << 25;
constexpr size_t kMostStreams = 1 << 16;
constexpr uint32_t kStreamMask = (1u << 31) - 1;  // of LaunchedOp
constexpr size_t kMostThreads = 1 << 20;
constexpr size_t kMostLabels = 1 << 22;
constexpr uint64_t kMostLabelBytes = uint64_t{256} << 20;
constexpr size_t kCachedLabels = 1 << 16;

static_assert(kMostThreads * HostRange::kRowsPerThread < UINT32_MAX);

}  // namespace

RangeWork::Thread& RangeWork::ThreadOf(const Stream& stream) {
  if (thread_ != nullptr && thread_stream_ == stream.id()) return *thread_;
  const auto index = static_cast<uint32_t>(std::min(threads_.size(), kMostThreads));
  thread_ = &threads_.try_emplace(stream.tid(), Thread{index}).first->second;
  thread_stream_ = stream.id();
  return *thread_;
}

void RangeWork::OnStream(Stream& stream, const StreamRecord& record) {
  Thread& thread = ThreadOf(stream);
  if (record.part != 0) thread.moved = std::max(thread.moved, record.ticks);
}

void RangeWork::OnCall(Stream& stream, const CallRecord& call) {
  const bool inner = (call.head.flags & kInnerCall) != 0;
  if (inner || !survey_.gpu.ops.Has(call.correlation)) return;
  if (launches.size() >= kMostLaunches) {
    ++left_out;
    return;
  }
  Thread& thread = ThreadOf(stream);
  thread.last_launch = std::max(thread.last_launch, call.begin);
  launches.push_back({call.begin, thread.index, call.correlation});
}

void RangeWork::OnDeviceOp(Stream& /*stream*/, const DeviceOpRecord& op,
                           const KernelDetails* /*kernel*/) {
  const GpuStream key{op.device, op.context, op.stream};
  auto stream = op_streams_.find(key);
  if (stream == op_streams_.end()) {
    if (streams.size() >= kMostStreams) return;
    stream =
        op_streams_.try_emplace(key, OpStream{static_cast<uint32_t>(streams.size()), {}}).first;
    streams.push_back(key);
  }
  ShownSpan span;
  if (!ShowSpan(&stream->second.lanes, timeline_, limits_, op.begin, op.end, &span)) return;
  if (ops.size() >= kMostOps) {
    ++left_out;
    return;
  }
  ops.push_back(
      {span.begin, span.end, op.correlation, stream->second.index & kStreamMask, span.lane == 0});
}

void RangeWork::OnRange(const RangeEvent& event) { Keep(event, event.record.end); }

void RangeWork::OnOpenRange(const RangeEvent& event) { Keep(event, UINT64_MAX); }

void RangeWork::Keep(const RangeEvent& event, uint64_t end) {
  const Thread& thread = ThreadOf(event.stream);
  const uint64_t begin = event.record.begin;
  if (thread.last_launch < begin && thread.moved < begin) return;
  uint32_t label;
  if (ranges.size() >= kMostRanges || !LabelOf(event, &label)) {
    ++left_out;
    return;
  }
  ranges.push_back({begin, end, RowOf(thread, event), label});
}

// The same rows as the ranges have on the host.
uint32_t RangeWork::RowOf(const Thread& thread, const RangeEvent& event) const {
  const uint32_t row = thread.index * HostRange::kRowsPerThread;
  if ((event.record.head.flags & kCrossing) == 0) return row;
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  const auto crossing = survey_.crossing_rows.find(
      {event.stream.tid(), domain == nullptr ? UINT64_MAX : domain->key});
  return crossing == survey_.crossing_rows.end() ? row : row + 1 + crossing->second.index;
}

bool RangeWork::LabelOf(const RangeEvent& event, uint32_t* label) {
  const uint32_t id = event.record.head.id;
  const std::pair key{uint64_t{event.stream.serial()} << 32 | id, event.record.domain};
  const auto cached = label_cache_.find(key);
  if (cached != label_cache_.end()) {
    *label = cached->second;
    return true;
  }
  const std::string_view* name = id == 0 ? nullptr : event.stream.Name(id);
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  std::pair<std::string, std::string> text;
  text.first = name != nullptr ? std::string(*name) : id == 0 ? "(no name)" : "(name lost)";
  if (event.record.domain != 0) text.second = domain == nullptr ? "(lost)" : domain->name;
  auto number = label_numbers_.find(text);
  if (number == label_numbers_.end()) {
    const uint64_t bytes = text.first.size() + text.second.size();
    if (labels.size() >= kMostLabels || label_bytes_ + bytes > kMostLabelBytes) return false;
    label_bytes_ += bytes;
    labels.push_back({text.first, text.second});
    number = label_numbers_.emplace(std::move(text), labels.size() - 1).first;
  }
  if (label_cache_.size() >= kCachedLabels) label_cache_.clear();
  *label = label_cache_[key] = number->second;
  return true;
}

bool RangeWork::OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) {
  return !progress_ || progress_(bytes_read, bytes_total);
}

}  // namespace syncline
