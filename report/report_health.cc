// SPDX-License-Identifier: Apache-2.0
// What was lost, was not recorded, is not there, or is not known exactly.
#include "report/report_health.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "model/devices/gpu_coverage.h"
#include "model/run/losses.h"
#include "report/device_marks.h"
#include "report/lost_records.h"
#include "report/shared_devices.h"
#include "report/slow_ranks.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr int kMostRanks = 1 << 20;  // no job has more: the number was somebody else's

using Sentences = std::vector<std::string>;

std::string Percent(uint64_t part, uint64_t whole) {
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return share < 1 ? "less than 1 %" : Text(static_cast<uint64_t>(share), " %");
}

// By kind, with the ranks that lost them.
void AddLosses(const RunFindings& findings, Report* report) {
  for (const auto& [kind, count] : report->losses) {
    if (kind == kNoEnd) continue;
    std::vector<std::string> ranks;
    for (const auto& [name, part] : findings.ranks) {
      const auto own = part.losses.find(kind);
      if (own == part.losses.end() || own->second == 0) continue;
      ranks.push_back(own->second == count ? name : Text(name, " (", CountText(own->second), ")"));
    }
    report->health.push_back(Text("lost by ", SomeNames(ranks), ": ", LossText(kind, count)));
  }
}

void AddNoEnds(const RunFindings& findings, const ReportSources& sources, Sentences* health) {
  std::vector<int> ranks;
  for (const auto& [name, part] : findings.ranks) {
    if (part.losses.contains(kNoEnd)) ranks.push_back(part.rank);
  }
  if (!ranks.empty()) health->push_back(Text(NoEndText(ranks), sources.first_failure));
}

void AddLimits(const RunFindings& findings, Report* report) {
  std::set<std::string> limits;
  for (const auto& [name, part] : findings.ranks)
    limits.insert(part.limits.begin(), part.limits.end());
  report->limits.assign(limits.begin(), limits.end());
}

// Of each: whose records are damaged, or of whose not all is shown.
void AddProblems(const RunFindings& findings, Sentences* health) {
  for (const auto& [name, part] : findings.ranks) {
    for (const std::string& problem : part.problems) health->push_back(Text(name, ": ", problem));
  }
}

void AddSharedDevices(const RunFindings& findings, Sentences* health) {
  for (std::string& text : UnknownIdleTexts(findings)) health->push_back(std::move(text));
  for (const auto& [use, ranks] : FindSharedDevices(findings).shared)
    health->push_back(Text(NamesOfRanks(ranks), " compute on one GPU (device ", use->device, ": ",
                           use->name,
                           "): how busy it is says of each rank what that rank had of it"));
}

// Ranks of the job that have nothing here.
void AddMissing(const RunFindings& findings, const ReportSources& sources, Sentences* health) {
  int32_t world_size = 0;
  std::set<int> there = sources.left_out;
  for (const auto& [name, part] : findings.ranks) {
    world_size = std::max(world_size, part.world_size);
    there.insert(part.rank);
  }
  std::vector<int> missing;
  for (int rank = 0; rank < world_size && world_size <= kMostRanks; ++rank) {
    if (!there.contains(rank)) missing.push_back(rank);
  }
  if (!missing.empty()) {
    health->push_back(Text("of ", NamesOfRanks(missing), " of ",
                           CountText(static_cast<uint64_t>(world_size)),
                           " nothing is there: sums are those of the others"));
  }
  if (!sources.left_out.empty()) {
    const std::vector<int> left_out(sources.left_out.begin(), sources.left_out.end());
    health->push_back(Text("--ranks left ", NamesOfRanks(left_out), " out"));
  }
}

void AddIncomplete(const RunFindings& findings, const ReportSources& sources, Sentences* health) {
  std::vector<std::string> incomplete;
  std::map<std::string, std::vector<std::string>> jobs;
  for (const auto& [name, part] : findings.ranks) {
    if (!part.complete) incomplete.push_back(name);
    if (!part.job.empty()) jobs[part.job].push_back(name);
  }
  if (sources.running) health->push_back("the run is not over: this is what was written so far");
  if (sources.unwritten && !sources.running) {
    health->push_back(
        "run/spool holds records that are in no trace: their processes run still, or `syncline "
        "recover` writes them");
  }
  if (!incomplete.empty()) {
    health->push_back(Text("of ", SomeNames(incomplete),
                           " only a part is there, as no trace was written",
                           sources.running ? "" : ": `syncline recover` writes it"));
  }
  if (jobs.size() < 2) return;
  std::vector<std::string> names;
  for (const auto& [job, ranks] : jobs) names.push_back(Text(job, " (", SomeNames(ranks), ")"));
  health->push_back(Text("the files are of ", Counted(jobs.size(), "job"), ", and their sums mean ",
                         "nothing together: ", SomeNames(names),
                         ": give each job a directory of its own"));
}

bool IsLess(const std::string& recorded) {
  for (const GpuCoverage coverage :
       {GpuCoverage::kLent, GpuCoverage::kCallsOnly, GpuCoverage::kNothing}) {
    if (recorded == GpuCoverageName(coverage, "")) return true;
  }
  return false;
}

// Times in which less than all was recorded, by what and why.
void AddCoverage(const RunFindings& findings, Sentences* health) {
  struct Span {
    uint64_t ns = 0;
    std::set<std::string> ranks;
  };
  std::map<std::pair<std::string, std::string>, Span> spans;
  for (const auto& [name, part] : findings.ranks) {
    for (const CoverageFact& fact : part.coverage) {
      if (!IsLess(fact.recorded) || fact.end_ns <= fact.begin_ns) continue;
      Span& span = spans[{fact.recorded, fact.why}];
      span.ns += fact.end_ns - fact.begin_ns;
      span.ranks.insert(name);
    }
  }
  for (const auto& [what, span] : spans) {
    const auto& [recorded, why] = what;
    health->push_back(Text("GPUs: ", recorded, " for ", DurationText(span.ns), " of ",
                           SomeNames({span.ranks.begin(), span.ranks.end()}),
                           why.empty() ? "" : ": ", why));
  }
}

void AddLeftOut(const RankMeetings& meetings, Report* report) {
  LeftOutCounts left_out{};
  for (const auto& [rank, counts] : meetings.left_out) {
    for (size_t why = 0; why < kLeftOutReasons; ++why) left_out[why] += counts[why];
  }
  uint64_t unknown = 0, known = 0;
  for (const auto& [rank, facts] : meetings.ranks) known += facts.met;
  for (size_t why = 0; why < kLeftOutReasons; ++why) {
    if (left_out[why] == 0) continue;
    const auto reason = static_cast<LeftOut>(why);
    if (reason != LeftOut::kAlone) unknown += left_out[why];  // nobody is waited for in those
    report->health.push_back(Text("nothing is said of ",
                                  Counted(left_out[why], "collective kernel"), ": ",
                                  LeftOutMeaning(reason)));
  }
  if (unknown > known) report->unknown_collectives = unknown;
}

void AddClocks(const RunFindings& findings, const RankMeetings& meetings, Sentences* health) {
  uint64_t error_ns = 0;
  for (const auto& [name, part] : findings.ranks)
    error_ns = std::max(error_ns, part.clock_error_ns);
  if (error_ns != 0) {
    health->push_back(Text("times are good to ", DurationText(error_ns)));
  }
  if (meetings.clock_error_ns != 0) {
    health->push_back(Text("clocks of several machines, up to ",
                           DurationText(meetings.clock_offset_ns),
                           " apart, were compared by the collectives to within ",
                           DurationText(meetings.clock_error_ns)));
  }
  uint64_t in_graphs = 0;
  for (const auto& [rank, facts] : meetings.ranks) in_graphs += facts.in_graphs;
  if (in_graphs != 0)
    health->push_back(
        Text(Counted(in_graphs, "launch"),
             " of whole graphs with collectives in them: what they communicate counts "
             "as computing, but for the time in which they waited for a rank"));
}

void AddReplay(const RunFindings& findings, Sentences* health) {
  uint64_t whole_ns = 0, replayed_ns = 0, unpriced = 0, ungrouped = 0, steps = 0;
  uint64_t analysed_ns = UINT64_MAX;  // of the rank of which least is known
  std::set<std::string> missing;
  for (const auto& [name, part] : findings.ranks) {
    if (part.analysed_until_ns > part.begin_ns)
      analysed_ns = std::min(analysed_ns, part.analysed_until_ns - part.begin_ns);
    whole_ns += part.replay.whole_ns;
    replayed_ns += part.replay.replayed_ns;
    unpriced += part.replay.unpriced;
    ungrouped += part.replay.ungrouped;
    steps += part.steps_left_out;
    missing.insert(part.missing.begin(), part.missing.end());
  }
  if (replayed_ns < whole_ns) {
    health->push_back(Text("gains are those of ", Percent(replayed_ns, whole_ns),
                           " of the work, scaled up by the rest"));
  }
  if (unpriced != 0)
    health->push_back(Text(Counted(unpriced, "further change"), unpriced == 1 ? " was" : " were",
                           " not tried: what they would bring is not known"));
  if (ungrouped != 0)
    health->push_back(Text(Counted(ungrouped, "wait"),
                           ", calls and gaps have no gain: they are at more places than are told "
                           "apart"));
  if (steps != 0)
    health->push_back(Text(
        Counted(steps, "step"), steps == 1 ? " is" : " are",
        " not kept: of the steps of a process beyond the first ", CountText(kMostStepsOfProcess),
        " only the longest are. `--step-range 'step *' --steps FIRST:END` records others"));
  if (analysed_ns != UINT64_MAX)
    health->push_back(Text("waits, gaps and gains are those of the first ",
                           DurationText(analysed_ns), findings.ranks.size() == 1 ? "" : " and more",
                           ": there was no room for the rest"));
  for (const std::string& what : missing) health->push_back(Text("not looked for: ", what));
}

// Of the rank whose calls are longest for it. Nothing is said where nothing was measured.
void AddRecordingCost(const RunFindings& findings, Report* report) {
  const std::pair<std::string, RecordingCost>* most = nullptr;
  for (const auto& [name, part] : findings.ranks) {
    for (const RecordingCost& cost : part.recording_costs)
      report->recording_costs.emplace_back(name, cost);
  }
  for (const auto& of_rank : report->recording_costs) {
    const uint64_t call_ns = of_rank.second.CallNs();
    if (call_ns > (most == nullptr ? 0 : most->second.CallNs())) most = &of_rank;
  }
  if (most == nullptr) return;
  const RecordingCost& cost = most->second;
  report->health.push_back(
      Text("recording made steps longer: ", DurationText(cost.recorded_ns), " recorded, ",
           DurationText(cost.bare_ns), " not (", Counted(cost.CallsOfStep(), "call"), " each, ",
           DurationText(cost.CallNs()), " a call or more",
           findings.ranks.size() > 1 ? Text("; ", most->first, ", the most of all") : "",
           "); gains are what the program would gain that nobody records"));
}

// Processes that take the same steps at one time, where nobody gave or told a number.
void AddUnnumberedRanks(const RunFindings& findings, Sentences* health) {
  std::map<std::string, std::vector<const StepSeries*>> by_name;
  for (const auto& [name, part] : findings.ranks) {
    if (part.rank > 0 || part.world_size > 1) return;
    for (const StepSeries& series : part.steps) {
      if (!series.steps.empty()) by_name[series.name].push_back(&series);
    }
  }
  for (const auto& [name, all] : by_name) {
    uint64_t last_begin_ns = 0, first_end_ns = UINT64_MAX;
    std::set<int32_t> pids;
    for (const StepSeries* series : all) {
      const Step& last = series->steps.back();
      last_begin_ns = std::max(last_begin_ns, series->steps.front().begin_ns);
      first_end_ns = std::min(first_end_ns, last.begin_ns + last.duration_ns);
      pids.insert(series->pid);
    }
    if (pids.size() < 2 || last_begin_ns >= first_end_ns) continue;
    health->push_back(Text(
        pids.size(), " processes take steps of one name (`", PrintableText(name),
        "`) at one time, and are told as one rank, because nothing tells their numbers: started "
        "with RANK, WORLD_SIZE and MASTER_ADDR in their environment, or with `--rank N` among "
        "their arguments, each has a trace and a row of its own"));
    return;
  }
}

}  // namespace

void AddHealth(const RunFindings& findings, const RankMeetings& meetings,
               const ReportSources& sources, Report* report) {
  for (const auto& [name, part] : findings.ranks) {
    for (const auto& [kind, count] : part.losses) {
      if (count != 0) report->losses[kind] += count;
    }
  }
  Sentences* health = &report->health;
  AddIncomplete(findings, sources, health);
  AddMissing(findings, sources, health);
  AddSharedDevices(findings, health);
  AddLosses(findings, report);
  AddNoEnds(findings, sources, health);
  MarkLost(findings, report);
  AddLimits(findings, report);
  AddProblems(findings, health);
  AddCoverage(findings, health);
  for (std::string& sentence : UnseenMeetings(findings, meetings))
    health->push_back(std::move(sentence));
  AddUnnumberedRanks(findings, health);
  AddReplay(findings, health);
  AddRecordingCost(findings, report);
  AddClocks(findings, meetings, health);
  AddLeftOut(meetings, report);
}

}  // namespace syncline
