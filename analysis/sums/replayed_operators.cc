// SPDX-License-Identifier: Apache-2.0
// A kernel is the innermost operator's own, and counts once for each name around it.
#include "analysis/sums/replayed_operators.h"

#include <set>
#include <utility>

#include "analysis/sums/operator_times.h"
#include "model/devices/source_facts.h"
#include "model/run/program_name.h"

namespace syncline {

ReplayedOperators::ReplayedOperators(const ProgramRun& run, uint64_t base_ns)
    : run_(run), limits_(LimitsOf(run, base_ns)) {}

void ReplayedOperators::OnDeviceOp(Stream& /*stream*/, const DeviceOpRecord& op,
                                   const KernelDetails* kernel) {
  if (kernel == nullptr || kernel->graph_node == 0 || (op.head.flags & kOpOutside) != 0) return;
  const CapturedNodes::Node* const node = run_.captured.Find(op.source, kernel->graph_node);
  const SourceRun* const source = run_.sources.Find(op.source);
  if (node == nullptr || source == nullptr || !source->clocks.valid()) return;
  const DeviceTimeline& clock = source->clocks.Of(op.device);
  const uint64_t begin_ns = clock.Convert(op.begin), end_ns = clock.Convert(op.end);
  if (end_ns <= begin_ns || !limits_.Hold(begin_ns, end_ns)) return;
  ran_ns_[node->work] += end_ns - begin_ns;
  const ModuleLog::Path* const module =
      run_.modules == nullptr ? nullptr : run_.modules->OfLaunch(op.source, node->correlation);
  if (module != nullptr) of_modules_ns_[module] += end_ns - begin_ns;
}

void ReplayedOperators::Finish(RunFindings* findings) const {
  const std::string program = ProgramName(run_.facts);
  for (const auto& [work, ran_ns] : ran_ns_) {
    OperatorWork ran;
    ran.replayed_ns = ran_ns;
    std::set<CapturedOperator> around(work->operators.begin(), work->operators.end());
    for (const CapturedOperator& one : around) {
      RangeKey key{one.source, one.domain, one.name, program};
      if (findings->operators.size() >= OperatorTimes::kMostNames &&
          !findings->operators.contains(key))
        key.name = kOtherNames;
      OperatorSums& sums = findings->operators[key];
      sums.all.Add(ran);
      if (one == work->operators.back()) sums.own.Add(ran);
    }
  }
  FinishModules(findings);
}

void ReplayedOperators::FinishModules(RunFindings* findings) const {
  const std::string program = ProgramName(run_.facts);
  for (const auto& [module, ran_ns] : of_modules_ns_) {
    RangeKey key{FactsOfSource(run_.modules->source()).name, run_.modules->domain(), module->name,
                 program};
    findings->modules[std::move(key)].own.replayed_ns += ran_ns;
  }
}

}  // namespace syncline
