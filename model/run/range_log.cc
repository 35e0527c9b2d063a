// SPDX-License-Identifier: Apache-2.0
// Keeps what matters, in little memory.
#include "model/run/range_log.h"

#include <algorithm>

#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr size_t kMostThreads = 1 << 20;
constexpr size_t kMostLabels = 1 << 22;
constexpr uint64_t kMostLabelBytes = uint64_t{256} << 20;
constexpr size_t kCachedLabels = 1 << 16;

static_assert(kMostThreads * LoggedRange::kNestsOfThread < UINT32_MAX);

}  // namespace

uint32_t RangeLog::AddThread(uint32_t tid) {
  const auto index = static_cast<uint32_t>(std::min(threads_.size(), kMostThreads));
  const auto [thread, made] = threads_.try_emplace(tid, Thread{index});
  if (made && tids_.size() < kMostThreads) tids_.push_back(tid);
  return thread->second.index;
}

RangeLog::Thread& RangeLog::ThreadOf(const Stream& stream) {
  if (thread_ != nullptr && thread_stream_ == stream.id()) return *thread_;
  AddThread(stream.tid());
  thread_ = &threads_.find(stream.tid())->second;
  thread_stream_ = stream.id();
  return *thread_;
}

void RangeLog::OnStream(Stream& stream, const StreamRecord& record) {
  Thread& thread = ThreadOf(stream);
  if (record.part != 0) thread.moved = std::max(thread.moved, record.ticks);
}

void RangeLog::OnCall(Stream& stream, const CallRecord& call) {
  if ((call.head.flags & kInnerCall) != 0) return;
  Thread& thread = ThreadOf(stream);
  thread.last_call = std::max(thread.last_call, call.begin);
}

const uint32_t* RangeLog::ThreadOf(uint32_t tid) const {
  const auto found = threads_.find(tid);
  return found == threads_.end() ? nullptr : &found->second.index;
}

void RangeLog::Keep(const RangeEvent& event, uint64_t end) {
  if (!FactsOfSource(event.record.source).ranges_on_devices) return;
  const Thread& thread = ThreadOf(event.stream);
  const uint64_t begin = event.record.begin;
  if (thread.last_call < begin && thread.moved < begin) return;
  uint32_t label;
  if (*room_ == 0 || !LabelOf(event, &label)) {
    ++left_out;
    return;
  }
  --*room_;
  ranges.push_back({begin, end, NestOf(thread, event), label});
}

// One domain that crosses others nests in itself.
uint32_t RangeLog::NestOf(const Thread& thread, const RangeEvent& event) const {
  const uint32_t nest = thread.index * LoggedRange::kNestsOfThread;
  if ((event.record.head.flags & kCrossing) == 0) return nest;
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  const auto crossing = survey_.crossing_domains.find(
      {event.stream.tid(), domain == nullptr ? UINT64_MAX : domain->key});
  return crossing == survey_.crossing_domains.end() ? nest : nest + 1 + crossing->second.index;
}

bool RangeLog::LabelOf(const RangeEvent& event, uint32_t* label) {
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

}  // namespace syncline
