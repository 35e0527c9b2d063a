// SPDX-License-Identifier: Apache-2.0
// A range marks the events of its thread since its begin.
#include "analysis/sums/memory_events.h"

#include <algorithm>
#include <utility>

#include "model/devices/source_facts.h"
#include "model/findings/collective_words.h"

namespace syncline {
namespace {

constexpr size_t kMostTexts = 1 << 16;
constexpr size_t kMostAround = 64;  // events for which there was no memory, and ranges around one

bool Begins(std::string_view text, std::string_view with) {
  return !with.empty() && text.starts_with(with);
}

}  // namespace

uint32_t MemoryEvents::NumberOf(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  if (texts_.size() >= kMostTexts) return 0;
  const auto made = numbers_.emplace(text, static_cast<uint32_t>(texts_.size())).first;
  texts_.push_back(&made->first);
  return made->second;
}

void MemoryEvents::OnMemory(Stream& stream, const MemoryRecord& record) {
  if (events_.size() >= most_) {
    ++left_out_;
    return;
  }
  Kept kept{{}, DeviceOf(record)};
  MemoryEvent& event = kept.event;
  event.at_ns = run_->timeline.Convert(record.ticks);
  event.address = record.address;
  event.bytes = record.bytes;
  event.allocated = record.allocated;
  event.held = record.held;
  event.tid = stream.tid();
  event.is_out_of_memory = (record.head.flags & kOutOfMemory) != 0;
  if (stream.stack() != nullptr) event.where = NumberOf(places_.WhereOf(stream.stack()));
  if (event.is_out_of_memory && around_.size() < kMostAround) around_[event.at_ns];
  of_streams_[stream.id()].push_back(static_cast<uint32_t>(events_.size()));
  events_.push_back(kept);
}

template <typename Mark>
void MemoryEvents::ForEachSince(const Stream& stream, uint64_t begin_ns, const Mark& mark) {
  const auto found = of_streams_.find(stream.id());
  if (found == of_streams_.end()) return;
  for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
    MemoryEvent& event = events_[*at].event;
    if (event.at_ns < begin_ns) return;
    mark(&event);
  }
}

void MemoryEvents::AddRange(const RangeEvent& event, uint64_t end_ns) {
  const std::string_view* const name = event.stream.Name(event.record.head.id);
  if (name == nullptr) return;
  const SourceFacts& facts = FactsOfSource(event.record.source);
  const uint64_t begin_ns = run_->timeline.Convert(event.record.begin);
  const bool is_backward = Begins(*name, facts.backward_range);
  if (is_backward || Begins(*name, facts.optimizer_range)) {
    if (is_backward) {
      backward_.push_back({begin_ns, end_ns});
    } else {
      optimizer_ends_.push_back(end_ns);
    }
    ForEachSince(event.stream, begin_ns, [&](MemoryEvent* within) {
      within->phase = is_backward ? TrainingPhase::kBackward : TrainingPhase::kOptimizer;
      within->phase_end_ns = end_ns;
    });
  }
  if (around_.empty()) return;
  const DomainEntry* const domain = event.stream.Domain(event.record.domain);
  if (IsOfLibraryCall(facts.name, domain == nullptr ? std::string_view() : domain->name, *name))
    return;
  ForEachSince(event.stream, begin_ns, [&](MemoryEvent* within) {
    if (!within->is_out_of_memory) return;
    const auto at = around_.find(within->at_ns);
    if (at != around_.end() && at->second.size() < kMostAround)
      at->second.push_back({begin_ns, std::string(*name)});
  });
}

void MemoryEvents::OnRange(const RangeEvent& event) {
  AddRange(event, run_->timeline.Convert(event.record.end));
}

void MemoryEvents::OnOpenRange(const RangeEvent& event) { AddRange(event, run_->end_ns); }

// One around another comes after it, and counts.
void MemoryEvents::AddOperator(const RangeEvent& event) {
  const std::string_view* const name = event.stream.Name(event.record.head.id);
  if (name == nullptr) return;
  uint32_t number = UINT32_MAX;
  ForEachSince(event.stream, run_->timeline.Convert(event.record.begin), [&](MemoryEvent* within) {
    if (number == UINT32_MAX) number = NumberOf(*name);
    within->operation = number;
  });
}

void MemoryEvents::OnOperator(const RangeEvent& event) { AddOperator(event); }
void MemoryEvents::OnOpenOperator(const RangeEvent& event) { AddOperator(event); }

void MemoryEvents::JoinBackward() {
  std::sort(backward_.begin(), backward_.end(), [](const CoverageGap& a, const CoverageGap& b) {
    return std::pair(a.begin_ns, b.end_ns) < std::pair(b.begin_ns, a.end_ns);
  });
  std::vector<CoverageGap> joined;
  for (const CoverageGap& span : backward_) {
    if (joined.empty() || span.end_ns > joined.back().end_ns) joined.push_back(span);
  }
  backward_ = std::move(joined);
}

// What such threads do while a backward is under way is its part.
void MemoryEvents::MarkHelped(const std::vector<uint32_t>& helpers) {
  for (Kept& kept : events_) {
    MemoryEvent& event = kept.event;
    if (event.phase != TrainingPhase::kOther ||
        !std::binary_search(helpers.begin(), helpers.end(), event.tid))
      continue;
    const auto after =
        std::partition_point(backward_.begin(), backward_.end(),
                             [&](const CoverageGap& span) { return span.begin_ns <= event.at_ns; });
    if (after == backward_.begin() || std::prev(after)->end_ns < event.at_ns) continue;
    event.phase = TrainingPhase::kBackward;
    event.phase_end_ns = std::prev(after)->end_ns;
  }
}

MemoryEvents::Devices MemoryEvents::TakeFinished(const std::vector<uint32_t>& helpers) {
  JoinBackward();
  std::sort(optimizer_ends_.begin(), optimizer_ends_.end());
  MarkHelped(helpers);
  Devices devices;
  for (const Kept& kept : events_) devices[kept.device].push_back(kept.event);
  events_ = {};
  of_streams_.clear();
  for (auto& [device, events] : devices) {
    std::stable_sort(events.begin(), events.end(),
                     [](const MemoryEvent& a, const MemoryEvent& b) { return a.at_ns < b.at_ns; });
  }
  return devices;
}

std::string MemoryEvents::RangesAt(uint64_t out_of_memory_ns) const {
  const auto found = around_.find(out_of_memory_ns);
  if (found == around_.end()) return "";
  std::vector<Around> around = found->second;
  std::stable_sort(around.begin(), around.end(),
                   [](const Around& a, const Around& b) { return a.begin_ns < b.begin_ns; });
  std::string text;
  for (const Around& range : around) text += (text.empty() ? "" : " > ") + range.name;
  return text;
}

}  // namespace syncline
