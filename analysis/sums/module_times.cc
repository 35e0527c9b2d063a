// SPDX-License-Identifier: Apache-2.0
// Each call hands up what it did; the one around it takes that from its own.
#include "analysis/sums/module_times.h"

#include <utility>
#include <vector>

#include "model/devices/source_facts.h"
#include "model/run/module_log.h"
#include "model/run/program_name.h"
#include "model/run/time_limits.h"

namespace syncline {
namespace {

OperatorWork WorkOf(uint64_t begin_ns, uint64_t end_ns, WorkCurves::Thread* thread) {
  OperatorWork work{end_ns - begin_ns};
  if (thread == nullptr) return work;
  const StageWork given = WorkCurves::GivenBetween(thread, begin_ns, end_ns);
  work.blocked_ns = given.blocked_ns;
  work.launched = given.launched;
  work.device_ns = given.device_ns;
  return work;
}

void SumThread(ProgramRun* run, const ModuleLog::Thread& of, WorkCurves::Thread* thread,
               const TimeLimits& limits, std::vector<ModuleSums>* sums) {
  std::vector<OperatorWork> all(of.spans.size()), within(of.spans.size());
  for (size_t i = of.spans.size(); i > 0; --i) {  // those within come before
    const ModuleSpan& span = of.spans[i - 1];
    if (span.is_open()) continue;
    const uint64_t begin_ns = run->timeline.Convert(span.begin);
    const uint64_t end_ns = run->timeline.Convert(span.end);
    if (!limits.Hold(begin_ns, end_ns)) continue;
    const OperatorWork work = WorkOf(begin_ns, end_ns, thread);
    if (span.around != kNoModule) within[span.around].Add(work);
    ModuleSums& sum = (*sums)[span.path];
    const OperatorWork own = work.Without(within[i - 1]);
    if (of.backward[i - 1]) {
      sum.back.Add(own);
      continue;
    }
    ++sum.count;
    sum.all.Add(work);
    sum.own.Add(own);
  }
}

}  // namespace

void SumModules(ProgramRun* run, uint64_t base_ns, WorkCurves* curves, RunFindings* findings) {
  const ModuleLog& log = *run->modules;
  const TimeLimits limits = LimitsOf(*run, base_ns);
  std::vector<ModuleSums> sums(log.paths().size());
  for (const auto& [tid, thread] : log.threads())
    SumThread(run, thread, curves == nullptr ? nullptr : curves->ThreadOf(tid), limits, &sums);
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i].of_class = log.paths()[i].of_class;
    RangeKey key{FactsOfSource(log.source()).name, log.domain(), log.paths()[i].name,
                 ProgramName(run->facts)};
    findings->modules[std::move(key)].Add(sums[i]);
  }
}

}  // namespace syncline
