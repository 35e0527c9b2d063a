// SPDX-License-Identifier: Apache-2.0
// Each sample stands for as much time as any other: what is added up is their number.
#include "analysis/sums/host_work.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "model/run/code_location.h"
#include "model/run/program_name.h"
#include "model/run/system_calls.h"

namespace syncline {
namespace {

constexpr size_t kMostHostWork = 1 << 13;

HostActivity ActivityOf(uint32_t state) {
  switch (static_cast<ThreadState>(state)) {
    case ThreadState::kRunning:
      return HostActivity::kRunning;
    case ThreadState::kRunnable:
      return HostActivity::kNoProcessor;
    case ThreadState::kBlocked:
      return HostActivity::kBlocked;
    case ThreadState::kWaitsForGil:
      return HostActivity::kGil;
    case ThreadState::kUnknown:
      break;
  }
  return HostActivity::kUnknown;
}

class HostWork {
 public:
  HostWork(const ProgramRun& run, uint64_t begin_ns, const PlacedSamples& samples,
           const OwnCode& own, RunFindings* findings)
      : pid_(static_cast<uint32_t>(run.outer_pid)),
        first_tid_(static_cast<uint32_t>(run.facts.pid)),
        begin_ns_(begin_ns),
        program_(ProgramName(run.facts)),
        samples_(*samples.samples),
        shift_ns_(samples.line_less_monotonic_ns),
        locations_(own),
        findings_(findings) {}

  void NoteWaits(const std::vector<Wait>& waits) {
    for (const Wait& wait : waits) waits_[wait.tid].push_back(&wait);
  }

  // Without what the thread waited in calls of the vendor's: these are no work of the host.
  void AddGap(const Gap& gap) {
    const uint64_t until_ns =
        gap.submitted_ns == 0 ? gap.end_ns : std::min(gap.submitted_ns, gap.end_ns);
    uint64_t from_ns = std::max(gap.begin_ns, begin_ns_);
    const std::vector<const Wait*>& waits = waits_[gap.tid];  // by begin
    auto wait = std::partition_point(waits.begin(), waits.end(),
                                     [&](const Wait* each) { return each->end_ns <= from_ns; });
    for (; wait != waits.end() && (*wait)->begin_ns < until_ns; ++wait) {
      AddTime(gap.tid, from_ns, (*wait)->begin_ns);
      from_ns = std::max(from_ns, (*wait)->end_ns);
    }
    AddTime(gap.tid, from_ns, until_ns);
  }

 private:
  void AddTime(uint32_t tid, uint64_t begin_ns, uint64_t end_ns) {
    if (begin_ns >= end_ns) return;
    const auto at = [this](uint64_t line_ns) {
      return static_cast<uint64_t>(static_cast<int64_t>(line_ns) - shift_ns_);
    };
    const uint64_t from_ns = at(begin_ns), to_ns = at(end_ns);
    samples_.Each(pid_, tid, from_ns, to_ns, [&](const HostSample& sample, uint64_t count) {
      if (tid == first_tid_ || HasFrames(sample)) return Add(sample, sample, count);
      AddHelper(sample, count, std::max(from_ns, sample.first_ns),
                std::min(to_ns, sample.last_ns + 1));
    });
  }

  bool HasFrames(const HostSample& sample) const {
    const CodeStack* stack = samples_.StackOf(sample.stack);
    return stack != nullptr && !stack->frames.empty();
  }

  // While it is blocked, it waits for what the first thread does; else that one waits for it.
  void AddHelper(const HostSample& helper, uint64_t count, uint64_t from_ns, uint64_t to_ns) {
    bool any = false;
    samples_.Each(pid_, first_tid_, from_ns, to_ns, [&](const HostSample& first, uint64_t of) {
      any = true;
      const bool is_blocked = helper.state == static_cast<uint32_t>(ThreadState::kBlocked);
      Add(first, is_blocked ? first : helper, of);
    });
    if (!any) Add(helper, helper, count);
  }

  std::string WhereOf(uint32_t stack) {
    const CodeStack* known = samples_.StackOf(stack);
    return known == nullptr ? "" : locations_.WhereOf(known);
  }

  void Add(const HostSample& place, const HostSample& doing, uint64_t count) {
    HostWorkKey key;
    key.where = WhereOf(place.stack);
    key.activity = ActivityOf(doing.state);
    key.program = program_;
    if (key.activity == HostActivity::kGil) key.what = WhereOf(doing.holder);
    if (key.activity == HostActivity::kBlocked) key.what = SystemCallName(doing.system_call);
    auto& sums = findings_->host_work;
    if (sums.size() >= kMostHostWork && !sums.contains(key)) key.where = kOtherLines;
    sums[std::move(key)].samples += count;
  }

  const uint32_t pid_, first_tid_;
  const uint64_t begin_ns_;
  const std::string program_;
  const HostSamples& samples_;
  const int64_t shift_ns_;
  CodeLocations locations_;
  RunFindings* findings_;
  std::unordered_map<uint32_t, std::vector<const Wait*>> waits_;  // by thread
};

}  // namespace

void SumHostWork(const ProgramRun& run, const SourceRun& source, const TimeLimits& limits,
                 uint64_t begin_ns, const PlacedSamples& samples, const OwnCode& own,
                 RunFindings* findings) {
  HostWork work(run, begin_ns, samples, own, findings);
  work.NoteWaits(source.findings.waits);
  for (const Gap& gap : source.findings.gaps) {
    if (gap.parts_ns[static_cast<size_t>(GapCause::kHostBusy)] != 0 &&
        limits.Hold(gap.begin_ns, gap.end_ns) && gap.end_ns > begin_ns)
      work.AddGap(gap);
  }
}

}  // namespace syncline
