// SPDX-License-Identifier: Apache-2.0
// From changes in any order to windows.
#include "model/run/gate_history.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kMostChanges = 1 << 22;
constexpr size_t kMostNames = 1 << 12;
constexpr uint64_t kNearNs = 1'000'000;
constexpr int64_t kChangeNumbers = 1 << 28;  // a number of a change is modulo this

// The nearest step between numbers that wrap.
int64_t Nearest(int64_t step) {
  step %= kChangeNumbers;
  if (step >= kChangeNumbers / 2) return step - kChangeNumbers;
  return step < -kChangeNumbers / 2 ? step + kChangeNumbers : step;
}

bool IsChange(GateEvent event) {
  return event >= GateEvent::kOpened && event <= GateEvent::kThreadClosed;
}

}  // namespace

void GateHistory::OnGate(const GateRecord& change) {
  steps_.Add(change);
  if (changes_.size() < kMostChanges) {
    changes_.push_back({0, change});
  } else {
    too_many_changes_ = true;
  }
}

void GateHistory::OnCall(Stream&, const CallRecord& call) {
  if (call.correlation == 0 || too_many_) return;
  std::vector<std::pair<uint32_t, uint64_t>>& calls = sources_.At(call.source).calls;
  if (!calls.empty() && calls.back().first == call.correlation) {  // one inside the other
    calls.back().second = std::min(calls.back().second, call.begin);
    return;
  }
  if (++calls_ > most_calls_) {
    too_many_ = true;
    sources_.Each([](Source, OfSource& of) { of.calls = {}; });
    return;
  }
  calls.emplace_back(call.correlation, call.begin);
}

void GateHistory::OnName(std::string_view name) {
  if (names_.size() < kMostNames && !work_names_.contains(std::string(name))) names_.emplace(name);
}

// Kernels have names, too.
void GateHistory::OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails*) {
  if (op.head.id == 0 || work_names_.size() >= kMostNames) return;
  const std::string_view* name = stream.Name(op.head.id);
  if (name != nullptr && work_names_.emplace(*name).second) names_.erase(std::string(*name));
}

// Two threads may change the gate at about the same time: then the numbers tell the order.
void GateHistory::NumberChanges() {
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return a.record.ticks < b.record.ticks;
  });
  int64_t last = 0;
  for (Change& change : changes_) {
    last += Nearest(int64_t{change.record.change} - last);
    change.number = last;
  }
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.number < b.number; });
}

void GateHistory::FindWindows() {
  // Threads that wait for no stage are open until they close: others are, then.
  const bool by_thread = (facts_.process.facts.gate & kStagesOfThreads) != 0;
  bool process_open = (facts_.process.facts.gate & kGateReasons) == 0;
  std::set<uint32_t> threads;
  const auto open = [&] { return process_open && (!by_thread || !threads.empty()); };
  if (open()) windows_.push_back({facts_.process.start.ticks, UINT64_MAX});
  const GateRecord* last = nullptr;
  int64_t last_number = 0;
  for (const Change& change : changes_) {
    const GateRecord& record = change.record;
    const bool hole = last != nullptr && change.number > last_number + 1;
    if (IsChange(record.event)) {
      // One between is lost: what is not known to be open counts as closed since the last one.
      if (hole || (process_open && record.event == GateEvent::kOpened)) {
        const uint64_t known = last != nullptr ? last->ticks : 0;
        if (open()) windows_.back().end = std::max(windows_.back().begin, known);
        threads.clear();
        process_open = record.head.flags == 0;
      }
      last = &record;
      last_number = change.number;
    }
    Apply(record, &process_open, &threads);
    if (open() == (!windows_.empty() && windows_.back().end == UINT64_MAX)) continue;
    if (open()) {
      windows_.push_back({record.ticks, UINT64_MAX});
    } else if (windows_.back().end == UINT64_MAX) {
      windows_.back().end = std::max(windows_.back().begin, record.ticks);
    }
  }
  // Nobody knows what came after the last change that is kept.
  if (too_many_changes_) end_ticks_ = std::min(end_ticks_, changes_.back().record.ticks);
  for (OpenWindow& window : windows_)
    window.end = std::min(window.end, std::max(window.begin, end_ticks_));
}

void GateHistory::Apply(const GateRecord& record, bool* process_open, std::set<uint32_t>* threads) {
  switch (record.event) {
    case GateEvent::kOpened:
      *process_open = true;
      break;
    case GateEvent::kClosed:
      *process_open = false;
      // Another step has begun.
      if ((record.head.flags & kNoStep) != 0) end_ticks_ = UINT64_MAX;
      break;
    case GateEvent::kThreadOpened:
      threads->insert(record.head.id);
      break;
    case GateEvent::kThreadClosed:
      threads->erase(record.head.id);
      break;
    case GateEvent::kStepBegins:
      end_ticks_ = UINT64_MAX;
      break;
    case GateEvent::kLastStepEnds:
      end_ticks_ = record.ticks;
      break;
    case GateEvent::kBareStepBegins:
      break;
  }
}

void GateHistory::Finish() {
  NumberChanges();
  FindWindows();
  line_.Build(facts_.process, facts_.anchors, facts_.process.consumer_start);
  facts_.sources.Each([&](Source source, const SourceSurvey& survey) {
    if (line_.valid()) sources_.At(source).clocks.Build(survey.devices.clocks, &line_);
  });
  sources_.Each([](Source, OfSource& of) { std::sort(of.calls.begin(), of.calls.end()); });
  steps_.Finish(windows_);
  sources_.Each([this](Source, const OfSource& of) {
    for (const auto& [correlation, begin] : of.calls) steps_.CountCall(begin);
  });
  if (!line_.valid()) return;
  for (const OpenWindow& window : windows_) {
    const uint64_t begin = line_.Convert(window.begin);
    const uint64_t end = window.end == UINT64_MAX ? UINT64_MAX : line_.Convert(window.end);
    windows_ns_.push_back({begin, end});
    near_ns_.push_back({begin > kNearNs ? begin - kNearNs : 0, end});
  }
  JoinCoverageGaps(&windows_ns_);
  JoinCoverageGaps(&near_ns_);
}

uint64_t GateHistory::OpenedAfter(uint64_t changes) const {
  if (changes_.empty()) return 0;
  // Numbers in records are modulo 2^28, too: the one that is nearest to those that are there.
  const int64_t first = changes_.front().number;
  const int64_t number =
      first + Nearest(static_cast<int64_t>(changes % uint64_t{kChangeNumbers}) - first);
  for (auto change = std::partition_point(changes_.begin(), changes_.end(),
                                          [&](const Change& a) { return a.number <= number; });
       change != changes_.end(); ++change) {
    const GateEvent event = change->record.event;
    if (event == GateEvent::kOpened || event == GateEvent::kThreadOpened)
      return change->record.ticks;
  }
  return 0;
}

bool GateHistory::IsRecorded(Source source, uint32_t correlation) const {
  if (too_many_) return true;
  const OfSource* of = sources_.Find(source);
  if (of == nullptr || correlation == 0) return false;
  const auto call =
      std::lower_bound(of->calls.begin(), of->calls.end(), std::pair(correlation, uint64_t{0}));
  return call != of->calls.end() && call->first == correlation && call->second < end_ticks_;
}

bool GateHistory::IsNear(const DeviceOpRecord& op) const {
  const OfSource* of = sources_.Find(op.source);
  if (of == nullptr || !line_.valid()) return false;
  const DeviceTimeline& clock = of->clocks.Of(op.device);
  return clock.valid() &&
         MeetsCoverageGap(near_ns_, clock.Convert(op.begin), clock.Convert(op.end) + 1);
}

bool GateHistory::BeganInWindow(const DeviceTimeline& clock, uint64_t begin) const {
  if (!line_.valid() || !clock.valid()) return false;
  const uint64_t at = clock.Convert(begin);
  return MeetsCoverageGap(windows_ns_, at, at + 1);
}

bool GateHistory::IsRecorded(const DeviceOpRecord& op) const {
  if (CallsAreSeen()) return IsRecorded(op.source, op.correlation);
  const OfSource* of = sources_.Find(op.source);
  return of != nullptr && BeganInWindow(of->clocks.Of(op.device), op.begin);
}

bool GateHistory::IsRecorded(const DeviceEventRecord& note) const {
  if (CallsAreSeen()) return IsRecorded(note.source, note.correlation);
  const OfSource* of = sources_.Find(note.source);
  return of != nullptr && BeganInWindow(of->clocks.Shared(), note.begin);
}

std::vector<CoverageGap> ClosedTimes(const GateHistory& gate, Timeline* line, uint64_t begin_ns,
                                     uint64_t end_ns) {
  std::vector<CoverageGap> closed;
  uint64_t from = begin_ns;
  for (const OpenWindow& window : gate.windows()) {
    const uint64_t begin = std::min(line->Convert(window.begin), end_ns);
    if (begin > from) closed.push_back({from, begin});
    from = std::max(from, window.end == UINT64_MAX ? UINT64_MAX : line->Convert(window.end));
  }
  if (from < end_ns) closed.push_back({from, end_ns});
  JoinCoverageGaps(&closed);
  return closed;
}

}  // namespace syncline
