// SPDX-License-Identifier: Apache-2.0
// From files to findings of a whole job.
#include "launcher/show/read_findings.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "analysis/collectives/collective_join.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "offline/parallel_for.h"
#include "offline/rank_paths.h"
#include "writers/findings/findings_file.h"

namespace syncline {
namespace {

constexpr std::string_view kFindingsSuffix = ".findings";

// All ranks of the job are here, once each.
bool AreAllRanks(const RunFindings& findings) {
  int32_t world_size = 0;
  size_t ranks = 0;
  for (const auto& [name, part] : findings.ranks) {
    if (!IsWholeRank(name, part.rank)) continue;
    ++ranks;
    world_size = std::max(world_size, part.world_size);
  }
  return world_size > 0 && ranks == static_cast<size_t>(world_size);
}

}  // namespace

ReadRun ReadRunFindings(const std::string& directory) {
  std::vector<std::string> names;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    if (name.ends_with(kFindingsSuffix)) names.push_back(name);
  }
  // Each thread has sums of its own: adding them up takes about as long as reading them.
  std::vector<ReadRun> runs(std::max<size_t>(ThreadsFor(names.size()), 1));
  std::atomic<size_t> next{0};
  ParallelFor(runs.size(), std::atomic<bool>(false), [&](size_t own) {
    for (size_t i = next++; i < names.size(); i = next++) {
      const std::string rank = names[i].substr(0, names[i].size() - kFindingsSuffix.size());
      const Status status =
          ReadFindings(Text(directory, "/run/", names[i]), &runs[own].findings, rank);
      if (!status.ok()) runs[own].problems.push_back(status.message());
    }
  });
  ReadRun run = std::move(runs[0]);
  for (size_t other = 1; other < runs.size(); ++other) {
    run.findings.Add(std::move(runs[other].findings));
    std::move(runs[other].problems.begin(), runs[other].problems.end(),
              std::back_inserter(run.problems));
  }
  std::sort(run.problems.begin(), run.problems.end());
  run.findings.FoldNames();
  run.findings.NamePrograms();
  return run;
}

std::vector<std::string> TracesWithoutFindings(const std::string& directory) {
  constexpr std::string_view kTraceSuffix = ".trace.json.gz";
  std::vector<std::string> names;
  for (const std::string& file : ListDirectory(directory)) {
    if (!file.ends_with(kTraceSuffix)) continue;
    if (!Exists(FindingsPath(directory, file.substr(0, file.size() - kTraceSuffix.size()))))
      names.push_back(file);
  }
  return names;
}

RankMeetings MeetingsOf(RunFindings* findings) {
  CollectiveJoin join;
  std::vector<RankPart*> parts;
  for (auto& [name, part] : findings->ranks) {
    if (!IsWholeRank(name, part.rank)) continue;
    join.Add(std::move(part.collectives));
    parts.push_back(&part);
  }
  join.Join(AreAllRanks(*findings));
  RankMeetings met = join.Meetings();
  for (size_t i = 0; i < parts.size(); ++i) parts[i]->collectives = join.Take(i);
  return met;
}

}  // namespace syncline
