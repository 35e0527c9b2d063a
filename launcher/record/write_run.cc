// SPDX-License-Identifier: Apache-2.0
// What offline/ has to know of the run, and what it does not see: who still runs.
#include "launcher/record/write_run.h"

#include <algorithm>

#include "base/text.h"
#include "launcher/jobs/limiting_options.h"
#include "model/run/spool_facts.h"

namespace syncline {

namespace {

// Programs whose rank has no trace are told in the first one.
std::map<int, std::vector<std::string>> UnrecordedTexts(const LostPrograms& programs,
                                                        const std::vector<RankGroup>& groups) {
  std::map<int, std::vector<LostProgram>> of_groups;
  for (const auto& [rank, of_rank] : programs) {
    const bool has_trace =
        std::any_of(groups.begin(), groups.end(),
                    [rank = rank](const auto& group) { return group.rank == rank; });
    if (groups.empty()) break;
    auto& all = of_groups[has_trace ? rank : groups.front().rank];
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  }
  std::map<int, std::vector<std::string>> texts;
  for (const auto& [rank, of_rank] : of_groups) texts[rank] = LostProgramTexts(of_rank);
  return texts;
}

}  // namespace

RunSummary WriteRun(const RecordedRun& request, const std::vector<RankGroup>& groups,
                    WorkProgress* progress) {
  RunSummary summary;
  for (const RecordedProcess& process : request.processes) {
    if (process.gone || process.spool_path.empty()) continue;
    SpoolFacts facts;
    const bool named = ReadSpoolFacts(process.spool_path, &facts).ok() && !facts.name.empty();
    summary.running.push_back(Text(named ? facts.name : "a process", " (pid ", process.pid, ")"));
  }
  for (const FoundSpool& spool : request.spools) {
    if (!spool.problem.empty()) summary.problems.push_back(spool.problem);
    if (spool.running)
      summary.running.push_back(Text(spool.facts.name, " (pid ", spool.facts.pid, ")"));
  }
  WriteRequest job;
  job.directory = request.job.directory;
  job.key = request.job.key;
  if (request.job.base_time.ns != 0) job.base = request.job.base_time;
  job.anchor = request.anchor;
  job.load = request.load;
  job.samples = request.samples;
  job.silent_left_out = request.silent_left_out;
  job.unrecorded = UnrecordedTexts(request.lost_programs, groups);
  job.unit = request.unit;
  job.keep_spools = request.keep_spools;
  // A recovery has nobody to wait for: those of other ranks stand before its lock.
  job.waits_for_others = request.own_rank.rank >= 0;
  job.limits = [&request](const RankManifest& manifest) {
    return LimitingOptions(request.job.directory, manifest);
  };
  WriteRanks(job, groups, progress, &summary);
  return summary;
}

}  // namespace syncline
