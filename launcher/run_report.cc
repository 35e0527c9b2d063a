// SPDX-License-Identifier: Apache-2.0
// Gathers the manifests of a job and puts them into words.
#include "launcher/run_report.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <map>
#include <set>
#include <sstream>

#include "launcher/files.h"
#include "launcher/say.h"
#include "launcher/text.h"
#include "model/losses.h"

namespace syncline {
namespace {

constexpr int kWaitForRanksMs = 1000;
constexpr int kPollMs = 10;
constexpr int kMostRanks = 1 << 20;  // no job has more: the variable was somebody else's
constexpr std::string_view kWarning = "warn: ";
constexpr size_t kMostLines = 4;
constexpr size_t kMostNames = 8;  // of ranks or processes in one line

std::string Plural(uint64_t count, const char* word) {
  return Text(CountText(count), " ", word, count == 1 ? "" : "s");
}

std::string SomeNames(std::vector<std::string> names) {
  if (names.size() <= kMostNames) return JoinNames(names);
  const size_t more = names.size() - (kMostNames - 1);
  names.resize(kMostNames - 1);
  names.push_back(Text(more, " more"));
  return JoinNames(names);
}

// "ring_full" as the table explains it.
std::string MeaningOf(const std::string& loss) {
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (loss == FactsOfLoss(kind).name) return FactsOfLoss(kind).meaning;
  }
  return loss;
}

std::string WrittenLine(const ReportFacts& facts) {
  uint64_t events = 0;
  uint64_t processes = 0;
  uint64_t bytes = 0;
  uint64_t left_out = 0;
  for (const RankManifest& trace : facts.traces) {
    events += trace.events;
    left_out += trace.processes_left_out;
    // A process that became another program has a row for each, one after the other; another
    // process may have had its pid before.
    int32_t before = -1;
    for (const ManifestProcess& process : trace.processes) {
      processes += process.pid != before;
      before = process.pid;
    }
    bytes += trace.trace_bytes;
  }
  const std::string where = ShellQuote(ShortPath(facts.directory));
  const std::string what =
      Text(Plural(events, "event"), " of ", CountText(processes),
           processes == 1 ? " process" : " processes",
           left_out == 0 ? "" : Text(" (and ", CountText(left_out), " more that recorded nothing)"),
           ", ", SizeText(bytes));
  if (facts.traces.size() == 1 && facts.traces[0].rank == 0)
    return Text("wrote ", where, "/", facts.traces[0].trace, ": ", what);
  return Text("wrote ", Plural(facts.traces.size(), "trace"), " to ", where, ": ", what);
}

std::string LostLine(const ReportFacts& facts) {
  std::map<std::string, uint64_t> losses;
  for (const RankManifest& trace : facts.traces) {
    for (const auto& [name, count] : trace.losses) losses[name] += count;
  }
  std::string line;
  for (const auto& [name, count] : losses) {
    if (count == 0) continue;
    line += Text(line.empty() ? "lost: " : "; ", CountText(count), " because ", MeaningOf(name));
    if (const std::string remedy = RemedyOf(name); !remedy.empty()) line += Text(" (", remedy, ")");
  }
  return line;
}

// What the processes said cannot be recorded at all, once each: "CUDA: GPU work will not be
// recorded: ...".
std::string NotRecordedLine(const ReportFacts& facts) {
  std::set<std::string> said;
  for (const RankManifest& trace : facts.traces) {
    for (const ManifestProcess& process : trace.processes) {
      std::istringstream log(process.log);
      for (std::string line; std::getline(log, line);) {
        if (line.starts_with(kWarning) && line.find(" will not be recorded: ") != std::string::npos)
          said.insert(line.substr(kWarning.size()));
      }
    }
  }
  if (said.empty()) return "";
  const std::string more =
      said.size() == 1 ? "" : Text(" (and ", said.size() - 1, " more: run/rank-*.json, \"log\")");
  return *said.begin() + more;
}

// Traces whose times cannot be laid side by side as they stand.
std::string OtherBases(const ReportFacts& facts) {
  std::vector<std::string> names;
  for (const RankManifest& trace : facts.traces) {
    if (trace.base_time.ns != facts.traces[0].base_time.ns)
      names.push_back(std::to_string(trace.rank));
  }
  if (names.empty()) return "";
  return Text("times of rank", names.size() == 1 ? " " : "s ", SomeNames(names),
              " count from another base than those of rank ", facts.traces[0].rank,
              ": see baseTimeNanoseconds in each trace");
}

std::string MissingLine(const ReportFacts& facts) {
  std::string line = OtherBases(facts);
  if (!facts.missing_ranks.empty()) {
    std::vector<std::string> names;
    for (const int rank : facts.missing_ranks) names.push_back(std::to_string(rank));
    line += Text(line.empty() ? "" : "; ", "not written yet: rank", names.size() == 1 ? " " : "s ",
                 SomeNames(names));
  }
  if (!facts.running.empty()) {
    line += Text(line.empty() ? "" : "; ", "still running: ", SomeNames(facts.running),
                 "; what they record from now on is written by `syncline recover ",
                 ShellQuote(ShortPath(facts.directory)), "`");
  }
  if (!facts.late.empty()) {
    line += Text(line.empty() ? "" : "; ",
                 "began to record while the traces were written: ", SomeNames(facts.late),
                 "; `syncline recover ", ShellQuote(ShortPath(facts.directory)),
                 "` adds what they recorded");
  }
  return line;
}

// Which rank the others waited for most, if that took at least one hundredth of the run.
std::string LateRankLine(const ReportFacts& facts) {
  std::map<int, uint64_t> waited;
  uint64_t began = UINT64_MAX, ended = 0;
  for (const RankManifest& trace : facts.traces) {
    for (const auto& [rank, ns] : trace.collectives.waited_for_ns) waited[rank] += ns;
    began = std::min(began, trace.begin_ns);
    ended = std::max(ended, trace.end_ns);
  }
  const auto most =
      std::max_element(waited.begin(), waited.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == waited.end() || began > ended || most->second < (ended - began) / 100) return "";
  for (const RankManifest& trace : facts.traces) {
    if (trace.rank != most->first) continue;
    return Text("rank ", trace.rank, " came last to ", CountText(trace.collectives.came_last),
                " of ", Plural(trace.collectives.met, "collective"), "; the others waited ",
                DurationText(most->second), " for it");
  }
  return "";
}

// Processes that have a rank are in its trace all the same.
bool RecordedNothing(const ReportFacts& facts) {
  return std::all_of(facts.traces.begin(), facts.traces.end(),
                     [](const RankManifest& trace) { return trace.events == 0; });
}

// One line, as there are four at most.
std::string LossesLine(const ReportFacts& facts) {
  const std::string missing = NotRecordedLine(facts), lost = LostLine(facts);
  return Text(missing, missing.empty() || lost.empty() ? "" : "; ", lost);
}

int64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Of "rank-3.json"; -1: of another file.
int RankOfManifest(const std::string& name) {
  constexpr std::string_view kBefore = "rank-";
  int rank = -1;
  if (!name.starts_with(kBefore)) return -1;
  std::from_chars(name.data() + kBefore.size(), name.data() + name.size(), rank);
  return name == Text(kBefore, rank, ".json") ? rank : -1;
}

}  // namespace

std::vector<std::string> ReportLines(const ReportFacts& facts) {
  if (facts.traces.empty() && facts.missing_ranks.empty()) {
    std::vector<std::string> lines = {NothingRecordedLine(facts.looked_for.value_or(LookedFor()))};
    if (facts.looked_for && !facts.looked_for->stays.empty()) {
      lines.push_back(
          Text(ShellQuote(ShortPath(facts.directory)), " stays: ", facts.looked_for->stays));
    }
    if (const std::string missing = MissingLine(facts); !missing.empty()) lines.push_back(missing);
    return lines;
  }
  std::vector<std::string> lines = {
      WrittenLine(facts), LossesLine(facts), MissingLine(facts),
      Text("look at it: syncline view ", ShellQuote(ShortPath(facts.directory)))};
  if (facts.looked_for && facts.missing_ranks.empty() && RecordedNothing(facts) && lines[1].empty())
    lines[1] = NothingRecordedLine(*facts.looked_for);
  std::erase(lines, "");
  const std::string late = LateRankLine(facts);
  if (!late.empty() && lines.size() < kMostLines) lines.insert(lines.end() - 1, late);
  return lines;
}

void GatherOtherRanks(const FormatRequest& request, ReportFacts* facts) {
  if (request.own_rank.world_size > kMostRanks) return;
  std::set<int> missing;
  for (int rank = 0; rank < request.own_rank.world_size; ++rank)
    missing.insert(missing.end(), rank);
  for (const RankManifest& trace : facts->traces) missing.erase(trace.rank);
  const std::string directory = request.job.directory + "/run";
  const int64_t deadline = MonotonicMs() + kWaitForRanksMs;
  while (!missing.empty()) {
    for (const std::string& name : ListDirectory(directory)) {
      const int rank = RankOfManifest(name);
      RankManifest manifest;
      if (!missing.contains(rank) || !ReadManifest(directory + "/" + name, &manifest).ok())
        continue;
      facts->traces.push_back(std::move(manifest));
      missing.erase(rank);
    }
    if (missing.empty() || MonotonicMs() >= deadline) break;
    constexpr timespec kPoll = {0, kPollMs * 1000000};
    nanosleep(&kPoll, nullptr);
  }
  facts->missing_ranks.assign(missing.begin(), missing.end());
}

void ReportRun(const FormatRequest& request, const FormatSummary& summary, bool speaks) {
  for (const std::string& problem : summary.problems)
    summary.failed ? SayError(problem) : SayWarning(problem);
  if (summary.failed) {
    SayError(Text(
        "the records are kept. When the cause is mended, write the traces with `syncline recover ",
        ShellQuote(ShortPath(request.job.directory)), "`."));
  }
  if (!speaks) return;
  ReportFacts facts;
  facts.directory = request.job.directory;
  facts.traces = summary.written;
  facts.running = summary.running;
  facts.late = summary.late;
  facts.looked_for = request.looked_for;
  if (request.own_rank.rank == 0 && request.own_rank.world_size > 1)
    GatherOtherRanks(request, &facts);
  if (facts.traces.empty() && summary.failed) return;
  for (const std::string& line : ReportLines(facts)) Say(line);
}

std::string ShortPath(const std::string& path) {
  const std::string here = AbsolutePath(".") + "/";
  return path.starts_with(here) && path.size() > here.size() ? path.substr(here.size()) : path;
}

}  // namespace syncline
