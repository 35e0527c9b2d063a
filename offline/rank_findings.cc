// SPDX-License-Identifier: Apache-2.0
// From the analysis, the manifest and the job to the findings of one rank.
#include "offline/rank_findings.h"

#include <string>
#include <utility>

#include "analysis/rank_analysis.h"
#include "model/run/log_lines.h"
#include "offline/compile_findings.h"

namespace syncline {
namespace {

void FillPart(const RankManifest& manifest, RankPart* part) {
  part->rank = manifest.rank;
  part->world_size = manifest.world_size;
  part->complete = true;
  part->host = manifest.host;
  part->begin_ns = manifest.begin_ns;
  part->end_ns = manifest.end_ns;
  part->clock_error_ns = manifest.clock_error_ns;
  part->processes = manifest.processes.size();
  part->ranges = manifest.ranges + manifest.not_shown.ranges;
  part->marks = manifest.marks;
  part->calls = manifest.calls + manifest.not_shown.calls;
  part->device_ops = manifest.device_ops + manifest.not_shown.device_ops;
  part->losses = manifest.losses;
  part->problems.insert(part->problems.end(), manifest.unrecorded.begin(),
                        manifest.unrecorded.end());
  for (const ManifestProcess& process : manifest.processes) {
    for (const std::string& problem : process.problems) {
      if (!problem.starts_with(kNotLookedFor))
        part->problems.push_back(problem);  // is in `missing`
    }
    for (std::string& lost : LostByLog(process.log)) part->problems.push_back(std::move(lost));
    for (const ManifestCoverage& period : process.coverage) {
      part->coverage.push_back(
          {period.source, period.recorded, period.why, period.begin_ns, period.end_ns});
    }
  }
}

void NameRank(const std::string& name, RunFindings* findings) {
  for (LongWait& wait : findings->longest_waits) wait.rank = name;
  for (auto& [key, price] : findings->prices) {
    price.of_ranks = {{name, price.gain}};
  }
}

}  // namespace

RunFindings FindingsOfRank(const RankJob& job, const RankModel& model, RankManifest* manifest) {
  job.analysis->SettlePrices();
  RunFindings findings = std::move(job.analysis->findings);
  RankPart part = std::move(job.analysis->part);
  FillPart(*manifest, &part);
  part.job = job.job_key;
  part.load = job.load;
  part.problems.insert(part.problems.begin(), job.notes.begin(), job.notes.end());
  if (job.limits) part.limits = job.limits(*manifest);
  AddCompilations(model, &findings, &part);
  part.collectives_in_trace = manifest->collectives.met != 0;
  NameRank(job.name, &findings);
  findings.FoldNames();
  part.stages = LongestStages(findings, kMostStagesOfRank);
  manifest->waits_by_line = WaitsByLine(findings, kCostliestLines);
  findings.ranks.emplace(job.name, std::move(part));
  return findings;
}

}  // namespace syncline
