// SPDX-License-Identifier: Apache-2.0
// Records first; the ranges around what was found come with the second reading.
#include "analysis/rank_analysis.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/idle.h"
#include "analysis/waits.h"
#include "model/wait_rules.h"

namespace syncline {
namespace {

// A wait in three nested ranges takes 1.8 KiB until its trace is written.
constexpr uint64_t kBytesPerFinding = 2048;
constexpr char kNcclDomain[] = "NCCL";

// "12,345,678".
std::string Grouped(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Where the thread was in the middle of the gap; of a wait, where it began to wait.
uint64_t MomentOf(const Gap& gap, const std::vector<Wait>& waits) {
  if (gap.wait != kNoWait) return waits[gap.wait].begin_ns;
  return gap.begin_ns + (gap.end_ns - gap.begin_ns) / 2;
}

// Whether there is something to judge.
bool HasWork(const SourceRun& source) {
  return source.facts.waits != nullptr && source.records != nullptr && source.clocks.valid() &&
         source.survey.call_count != 0;
}

// The operations that were waited for outlive the records.
void KeepAwaited(const GpuRecords& records, Findings* findings) {
  for (Wait& wait : findings->waits) {
    if (wait.op == kNoOp) continue;
    const GpuOp& op = records.ops[wait.op];
    wait.op = static_cast<uint32_t>(findings->ops.size());
    findings->ops.push_back(
        {{op.device, op.context, op.stream}, op.correlation, op.kernel, op.begin_ns});
  }
}

}  // namespace

RankAnalysis::RankAnalysis(uint64_t room, uint64_t shortest_gap_ns)
    : room_(room), shortest_gap_ns_(shortest_gap_ns) {}

std::vector<RecordSink*> RankAnalysis::FirstReading(size_t input) {
  while (readers_.size() <= input) readers_.push_back(nullptr);
  readers_[input] = std::make_unique<CollectiveReader>();
  return {readers_[input].get()};
}

void RankAnalysis::Analyse(RankModel* model, const std::function<bool()>& stopped) {
  for (const auto& run : model->runs) {
    if (stopped()) return;
    if (run->readable()) AnalyseRun(run.get(), model->most_records);
    run->FreeRecords();
  }
  readers_.clear();
}

void RankAnalysis::AnalyseRun(ProgramRun* run, uint64_t most_records) {
  bool any = false;
  run->sources.Each([&any](Source, const SourceRun& source) { any = any || HasWork(source); });
  if (any && run->survey.payload_domains.contains(kNcclDomain))
    readers_[run->input]->Finish(*run, &collectives);
  run->sources.Each([&](Source, SourceRun& source) {
    if (HasWork(source)) AnalyseSource(run, &source, most_records);
  });
}

// Each source for itself: what one waits for is no work of another.
void RankAnalysis::AnalyseSource(ProgramRun* run, SourceRun* source, uint64_t most_records) {
  Findings& findings = source->findings;
  if (source->records->too_many()) {
    findings.missing =
        "waits, gaps and ranges of GPUs: more than " + Grouped(most_records) +
        " calls and operations, which --memory-node and the memory that is free allow";
    return;
  }
  source->records->Place(&run->timeline, source->clocks, run->end_ns);
  GpuRecords& records = source->records->records();
  records.clock_error_ns = source->clocks.ErrorNs() + run->clock_error_ns;
  records.end_ns = run->end_ns;
  records.device_records_lost = MayBeOfDevices(run->losses) || run->damage.Any();
  for (const CoveragePeriod& period : source->coverage) {
    if (period.coverage != GpuCoverage::kAll)
      records.unseen.push_back({period.begin_ns, period.end_ns});
  }
  const WaitRules& rules = *source->facts.waits;
  std::vector<Wait> waits = FindWaits(records, rules);
  std::vector<Gap> gaps = FindGaps(records, rules, waits, shortest_gap_ns_);
  const uint64_t found = waits.size() + gaps.size();
  if (found > room_ / kBytesPerFinding) {
    findings.missing = "waits and gaps: " + Grouped(found) +
                       ", more than --memory-node and the memory that is free allow";
    return;
  }
  room_ -= found * kBytesPerFinding;
  findings.waits = std::move(waits);
  findings.gaps = std::move(gaps);
  findings.call_names = records.call_names();
  KeepAwaited(records, &findings);
  findings.op_labels = std::move(source->records->labels());
}

RecordSink* RankAnalysis::SecondReading(ProgramRun* run) {
  bool any = false;
  run->sources.Each([&any](Source, const SourceRun& source) {
    any = any || !source.findings.waits.empty() || !source.findings.gaps.empty();
  });
  if (!any) return nullptr;
  stacks_ = std::make_unique<RangeStacks>(&run->timeline, run->end_ns);
  run->sources.Each([this](Source, const SourceRun& source) {
    const Findings& findings = source.findings;
    for (const Wait& wait : findings.waits) stacks_->Ask(wait.tid, wait.begin_ns);
    for (const Gap& gap : findings.gaps) stacks_->Ask(gap.tid, MomentOf(gap, findings.waits));
  });
  return stacks_.get();
}

void RankAnalysis::Finish(ProgramRun* run) {
  if (stacks_ == nullptr) return;
  size_t moment = 0;
  run->sources.Each([&](Source, SourceRun& source) {
    Findings& findings = source.findings;
    for (size_t i = 0; i < findings.waits.size(); ++i)
      findings.wait_ranges.push_back(stacks_->StackOf(moment++));
    for (size_t i = 0; i < findings.gaps.size(); ++i)
      findings.gap_ranges.push_back(stacks_->StackOf(moment++));
  });
  stacks_ = nullptr;
}

}  // namespace syncline
