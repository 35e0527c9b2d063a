// SPDX-License-Identifier: Apache-2.0
// Sums up to each moment: what lies between two of them is a difference.
#include "analysis/sums/work_curves.h"

#include <algorithm>
#include <utility>

#include "analysis/waits/call_finder.h"
#include "base/gallop_search.h"

namespace syncline {
namespace {

constexpr size_t kCoarser = 8;  // steps are longer than most ranges

bool IsKernel(const GpuOp& op) {
  return op.type == DeviceOpType::kKernel || op.type == DeviceOpType::kGraph;
}

bool IsOfHost(MemoryKind kind) {
  return kind == MemoryKind::kPageable || kind == MemoryKind::kPinned;
}

// All `of` parts together are the whole.
uint64_t PartOf(uint64_t whole, uint64_t part, uint64_t of) {
  return whole / of + (part < whole % of ? 1 : 0);
}

std::vector<CoverageGap> Joined(std::vector<CoverageGap> gaps) {
  JoinCoverageGaps(&gaps);
  return gaps;
}

}  // namespace

// A moment's own change counts.
size_t LevelCurve::PlaceOf(uint64_t ns) {
  near_ = PlaceNear(changes_.size(), near_, [&](size_t i) { return changes_[i].ns <= ns; });
  return near_;
}

void LevelCurve::Finish() {
  std::stable_sort(changes_.begin(), changes_.end(),
                   [](const Change& a, const Change& b) { return a.ns < b.ns; });
  const size_t size = changes_.size();
  most_.assign(2 * size, 0);
  int64_t level = 0;
  for (size_t i = 0; i < size; ++i)
    most_[size + i] = changes_[i].level = level += changes_[i].level;
  for (size_t i = size; i-- > 1;) most_[i] = std::max(most_[2 * i], most_[2 * i + 1]);
}

int64_t LevelCurve::MostOf(size_t from, size_t to) const {
  int64_t most = 0;
  for (from += changes_.size(), to += changes_.size(); from < to; from /= 2, to /= 2) {
    if (from % 2 != 0) most = std::max(most, most_[from++]);
    if (to % 2 != 0) most = std::max(most, most_[--to]);
  }
  return most;
}

uint64_t LevelCurve::MostBetween(uint64_t begin_ns, uint64_t end_ns) {
  if (changes_.empty()) return 0;
  const size_t to = PlaceOf(end_ns);
  const size_t from = PlaceOf(begin_ns);
  const int64_t before = from == 0 ? 0 : changes_[from - 1].level;
  return static_cast<uint64_t>(std::max(before, from < to ? MostOf(from, to) : 0));
}

void WorkCurves::Thread::Finish(size_t every, const std::vector<CoverageGap>& closed) {
  std::sort(waits_.begin(), waits_.end(),
            [](const CoverageGap& a, const CoverageGap& b) { return a.begin_ns < b.begin_ns; });
  for (const CoverageGap& wait : waits_) blocked_.Add(wait.begin_ns, wait.end_ns, closed);
  waits_ = {};
  launches_.Finish(every);
  ends_.Finish();
}

WorkCurves::WorkCurves(std::vector<CoverageGap> closed, const Most& most)
    : most_(most), closed_(Joined(std::move(closed))), times_(closed_, most.spells / kCoarser) {}

void WorkCurves::AddDevices(const GpuRecords& records, const TimeLimits& limits) {
  uint32_t device = kNoId;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
    if (op.device != device) busy_.emplace_back(most_.spells);
    device = op.device;
    busy_.back().Add(op.begin_ns, op.end_ns, closed_);
  }
}

void WorkCurves::AddLaunches(Source source, const GpuRecords& records,
                             const std::vector<OpLabel>& labels, const TimeLimits& limits) {
  const auto first = static_cast<uint32_t>(kernels_.size());
  for (const OpLabel& label : labels) kernels_.push_back({source, label});
  CallFinder finder(records.calls);
  Thread* thread = nullptr;
  uint32_t tid = 0, device = kNoId;  // seen last
  const std::vector<GpuOp>& ops = records.ops;
  for (size_t i = 0; i < ops.size();) {
    const SourceCall* call = finder.Find(ops[i].correlation);
    const size_t begin = i;
    while (i < ops.size() && ops[i].correlation == ops[begin].correlation) ++i;
    if (call == nullptr) continue;
    if (thread == nullptr || tid != call->tid) {
      thread = &threads_[tid = call->tid];
      device = kNoId;
    }
    const uint64_t cpu_ns = call->end_ns - std::min(call->begin_ns, call->end_ns);
    for (size_t at = begin; at < i; ++at) {
      const GpuOp& op = ops[at];
      if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
      thread->ends_.Add(call->begin_ns, op.end_ns);
      AddCopy(source, op, *call);
      if (device != op.device) thread->devices_.insert({source, device = op.device});
      const bool told = IsKernel(op) && op.kernel < labels.size();
      thread->launches_.Add({call->begin_ns, op.end_ns - op.begin_ns,
                             PartOf(cpu_ns, at - begin, i - begin),
                             told ? first + op.kernel : LaunchCurve::kNoKernel});
    }
  }
}

void WorkCurves::AddCopy(Source source, const GpuOp& op, const SourceCall& call) {
  const bool is_copy = op.type == DeviceOpType::kCopy || op.type == DeviceOpType::kPeerCopy;
  if ((!is_copy && op.type != DeviceOpType::kSet) || copies_.size() >= kMostCopies) return;
  copies_.push_back({call.begin_ns,
                     op.bytes,
                     op.end_ns - op.begin_ns,
                     call.tid,
                     {source, op.type, op.from, op.to}});
}

void WorkCurves::AddWaits(const std::vector<Wait>& waits, const TimeLimits& limits) {
  for (const Wait& wait : waits) {
    if (limits.Hold(wait.begin_ns, wait.end_ns))
      threads_[wait.tid].waits_.push_back({wait.begin_ns, wait.end_ns});
  }
}

void WorkCurves::AddMemory(const DeviceSurvey& survey, const DeviceClocks& clocks) {
  for (const MemoryChange& change : survey.memory) {
    const DeviceTimeline& clock = clocks.Of(change.device);
    if (clock.valid()) memory_.Add(clock.Convert(change.device_ns), change.bytes);
  }
}

void WorkCurves::AddAllocators(const MemoryLog& log, Timeline* timeline) {
  for (const auto& [device, levels] : log.levels()) {
    int64_t allocated = 0, held = 0;
    for (const MemoryLog::Level& level : levels) {
      const uint64_t ns = timeline->Convert(level.ticks);
      const auto allocated_now = static_cast<int64_t>(level.allocated);
      const auto held_now = static_cast<int64_t>(level.held);
      allocated_.Add(ns, allocated_now - std::exchange(allocated, allocated_now));
      held_.Add(ns, held_now - std::exchange(held, held_now));
    }
    has_allocators_ = has_allocators_ || !levels.empty();
  }
}

void WorkCurves::Finish() {
  allocated_.Finish();
  held_.Finish();
  size_t ops = 0;
  for (const auto& [tid, thread] : threads_) ops += thread.launches_.size();
  every_ = std::max<size_t>(1, (ops + most_.ops - 1) / most_.ops);
  for (auto& [tid, thread] : threads_) thread.Finish(every_, closed_);
  memory_.Finish();
  std::sort(copies_.begin(), copies_.end(),
            [](const Copy& a, const Copy& b) { return a.at_ns < b.at_ns; });
}

uint64_t WorkCurves::bytes() const {
  uint64_t bytes = times_.bytes() + copies_.size() * sizeof(Copy);
  for (const SpellCurve& device : busy_) bytes += device.bytes();
  for (const auto& [tid, thread] : threads_)
    bytes += thread.blocked_.bytes() + thread.launches_.bytes() + thread.ends_.bytes();
  return bytes;
}

WorkCurves::Thread* WorkCurves::ThreadOf(uint32_t tid) {
  const auto found = threads_.find(tid);
  return found == threads_.end() ? nullptr : &found->second;
}

StageWork WorkCurves::GivenBetween(Thread* thread, uint64_t begin_ns, uint64_t end_ns) {
  StageWork work;
  if (thread == nullptr) return work;
  work.blocked_ns = thread->blocked_.Between(begin_ns, end_ns);
  thread->launches_.CountBetween(begin_ns, end_ns, &work);
  return work;
}

StageWork WorkCurves::Between(Thread* thread, uint64_t begin_ns, uint64_t end_ns) {
  StageWork work = GivenBetween(thread, begin_ns, end_ns);
  for (SpellCurve& device : busy_) work.busy_ns += device.Between(begin_ns, end_ns);
  const uint64_t closed = closed_.empty() ? 0 : CoveredBy(closed_, begin_ns, end_ns);
  work.busy_of_ns = busy_.size() * (end_ns - begin_ns - closed);
  work.memory_peak = memory_.MostBetween(begin_ns, end_ns);
  work.allocated_peak = AllocatedPeak(begin_ns, end_ns);
  work.held_peak = HeldPeak(begin_ns, end_ns);
  return work;
}

uint64_t WorkCurves::LatestEnd(uint64_t begin_ns, uint64_t end_ns, uint64_t most_ns,
                               const std::vector<uint32_t>& without) const {
  uint64_t latest = 0;
  for (const auto& [tid, thread] : threads_) {
    if (!std::binary_search(without.begin(), without.end(), tid))
      latest = std::max(latest, thread.ends_.LatestBetween(begin_ns, end_ns, most_ns));
  }
  return latest;
}

void WorkCurves::TallyAll(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                          KernelTally* tally) {
  for (auto& [tid, thread] : threads_) {
    if (!std::binary_search(without.begin(), without.end(), tid))
      TallyBetween(&thread, begin_ns, end_ns, tally);
  }
}

template <typename Take>
void WorkCurves::EachCopy(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                          const Take& take) const {
  auto copy = std::partition_point(copies_.begin(), copies_.end(),
                                   [&](const Copy& one) { return one.at_ns < begin_ns; });
  for (; copy != copies_.end() && copy->at_ns < end_ns; ++copy) {
    if (!std::binary_search(without.begin(), without.end(), copy->tid)) take(*copy);
  }
}

void WorkCurves::TallyCopies(uint64_t begin_ns, uint64_t end_ns,
                             const std::vector<uint32_t>& without, CopyParts* parts) const {
  EachCopy(begin_ns, end_ns, without, [parts](const Copy& copy) {
    (*parts)[copy.label].Add({1, copy.device_ns, 0, copy.bytes});
  });
}

void WorkCurves::CountOps(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                          StepOps* ops) {
  uint64_t launched = 0, no_kernels = 0;
  for (auto& [tid, thread] : threads_) {
    StageWork work;
    if (!std::binary_search(without.begin(), without.end(), tid))
      thread.launches_.CountBetween(begin_ns, end_ns, &work);
    launched += work.launched;
  }
  EachCopy(begin_ns, end_ns, without, [&](const Copy& copy) {
    ++no_kernels;
    const auto& [source, type, from, to] = copy.label;
    if (type == DeviceOpType::kSet) return;
    ++ops->copies;
    if (IsOfHost(from) && !IsOfHost(to)) ops->from_host_bytes += copy.bytes;
    if (IsOfHost(to) && !IsOfHost(from)) ops->to_host_bytes += copy.bytes;
  });
  ops->kernels += launched - std::min(launched, no_kernels);
}

std::set<DeviceKey> WorkCurves::DevicesOf(const std::function<bool(uint32_t tid)>& counts) const {
  std::set<DeviceKey> devices;
  for (const auto& [tid, thread] : threads_) {
    if (counts(tid)) devices.insert(thread.devices_.begin(), thread.devices_.end());
  }
  return devices;
}

std::vector<std::string> WorkCurves::Inexact() const {
  uint64_t off = 0;
  for (const SpellCurve& device : busy_) off = std::max(off, device.error_ns());
  std::vector<std::string> texts;
  if (off != 0) {
    texts.push_back("how busy devices were in ranges exactly: a device worked more often than " +
                    std::to_string(most_.spells) + " times; each end of a range is off by up to " +
                    std::to_string(off) + " ns");
  }
  if (times_.error_ns() != 0) {
    texts.push_back(
        "what the time of devices goes by with in single steps exactly: one had more than " +
        std::to_string(most_.spells / kCoarser) +
        " spells of a kind; each end of a step is off by "
        "up to " +
        std::to_string(times_.error_ns()) + " ns");
  }
  if (every_ > 1) {
    texts.push_back("what ranges launched exactly, and which kernels: more than " +
                    std::to_string(most_.ops) +
                    " operations; each end of a range is off by up to " +
                    std::to_string(every_ - 1) + " of them");
  }
  return texts;
}

}  // namespace syncline
