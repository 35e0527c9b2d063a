// SPDX-License-Identifier: Apache-2.0
// From manifests and clocks to parts, and from files to findings of a whole job.
#include "launcher/rank_part.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "analysis/collective_join.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/files.h"
#include "launcher/parallel_for.h"
#include "launcher/text.h"
#include "writers/findings/findings_file.h"

namespace syncline {
namespace {

constexpr std::string_view kSuffix = ".findings";

// Equal for all who share CLOCK_MONOTONIC.
std::string MachineName() {
  std::string boot;
  if (ReadFile("/proc/sys/kernel/random/boot_id", &boot) == 0 && !boot.empty()) {
    if (boot.ends_with('\n')) boot.pop_back();
    char space[64];
    const ssize_t bytes = readlink("/proc/self/ns/time", space, sizeof(space));
    return bytes > 0 ? Text(boot, " ", std::string_view(space, static_cast<size_t>(bytes))) : boot;
  }
  char node[64];
  FindNodeName(Environment, node, sizeof(node));
  return node;
}

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

std::string FindingsPath(const std::string& directory, const std::string& group_name) {
  return Text(directory, "/run/", group_name, kSuffix);
}

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
  for (const ManifestProcess& process : manifest.processes) {
    for (const std::string& problem : process.problems) {
      if (!problem.starts_with(kNotLookedFor))
        part->problems.push_back(problem);  // is in `missing`
    }
    for (const ManifestCoverage& period : process.coverage) {
      part->coverage.push_back(
          {period.source, period.recorded, period.why, period.begin_ns, period.end_ns});
    }
  }
}

void NameRank(const std::string& name, RunFindings* findings) {
  for (LongWait& wait : findings->longest_waits) wait.rank = name;
  for (auto& [key, price] : findings->prices) {
    price.ranks = 1;
    price.worst_gain_ns = price.gain_ns;
    price.worst_rank = name;
  }
}

ClockLine LineOf(const Anchor& job_anchor, const std::string& host) {
  char node[64];
  FindNodeName(Environment, node, sizeof(node));
  return {host == node ? MachineName() : host,
          static_cast<int64_t>(job_anchor.realtime_ns - job_anchor.monotonic_ns)};
}

bool IsWholeRank(const std::string& group_name, int rank) {
  return rank >= 0 && group_name == Text("rank-", rank);
}

ReadRun ReadRunFindings(const std::string& directory) {
  std::vector<std::string> names;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    if (name.ends_with(kSuffix)) names.push_back(name);
  }
  // Each thread has sums of its own: adding them up takes about as long as reading them.
  std::vector<ReadRun> runs(std::max<size_t>(ThreadsFor(names.size()), 1));
  std::atomic<size_t> next{0};
  ParallelFor(runs.size(), std::atomic<bool>(false), [&](size_t own) {
    for (size_t i = next++; i < names.size(); i = next++) {
      const Status status = ReadFindings(Text(directory, "/run/", names[i]), &runs[own].findings);
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
