// SPDX-License-Identifier: Apache-2.0
// Gathers the manifests of a job and puts them into words.
#include "launcher/show/closing_lines.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "base/run_file.h"
#include "inject/core/glob.h"
#include "inject/core/labelled_patterns.h"
#include "inject/core/options.h"
#include "inject/core/text.h"
#include "launcher/host/files.h"
#include "launcher/host/held_directory.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/gate_options.h"
#include "launcher/jobs/left_out_ranks.h"
#include "launcher/jobs/node_places.h"
#include "launcher/show/one_finding.h"
#include "launcher/show/part_source.h"
#include "launcher/show/preset_hint.h"
#include "launcher/show/read_findings.h"
#include "launcher/show/report_files.h"
#include "launcher/show/unmatched_options.h"
#include "model/run/log_lines.h"
#include "model/run/losses.h"
#include "offline/available_memory.h"
#include "offline/other_ranks.h"
#include "offline/rank_paths.h"
#include "symbols/native_names.h"

namespace syncline {
namespace {

constexpr int kWaitForRanksMs = 1000;
constexpr int kPollMs = 10;
constexpr uint64_t kMostFailureText = 64;
constexpr int kMostRanks = 1 << 20;  // no job has more: the variable was somebody else's
constexpr std::string_view kNoPythonRanges = "--python-ranges";  // in a log: not all are recorded
constexpr std::string_view kPythonDomain = "py";

// "another job", "2 other jobs".
std::string OtherJobs(const std::vector<std::string>& traces) {
  constexpr std::string_view kJob = "-job-";
  std::set<int> jobs;
  for (const std::string& trace : traces)
    jobs.insert(std::atoi(trace.c_str() + trace.find(kJob) + kJob.size()));
  return jobs.size() == 1 ? "another job" : Text(jobs.size(), " other jobs");
}

// Traces beside the ranks': of processes without a rank (torchrun itself), of attempts that were
// given up, of ranks that MPI_Comm_spawn started, of other jobs.
std::string ApartText(const std::vector<const RankManifest*>& apart) {
  std::string text;
  std::vector<std::string> earlier, spawned, others;
  for (const RankManifest* trace : apart) {
    if (trace->trace.starts_with("rank-")) {
      (IsRankOfOtherJob(trace->trace) ? others
       : IsSpawnedRank(trace->trace)  ? spawned
                                      : earlier)
          .push_back(Text("run/", trace->trace));
      continue;
    }
    std::vector<std::string> names;
    for (const ManifestProcess& process : trace->processes) {
      if (names.empty() || names.back() != process.name) names.push_back(process.name);
    }
    text += Text("; ", SomeNames(names), " without a rank: run/", trace->trace);
  }
  std::sort(earlier.begin(), earlier.end());
  std::sort(spawned.begin(), spawned.end());
  std::sort(others.begin(), others.end());
  if (!others.empty()) text += Text("; of ", OtherJobs(others), ": ", SomeNames(others));
  if (!spawned.empty())
    text += Text("; of ranks that MPI_Comm_spawn started: ", SomeNames(spawned));
  if (!earlier.empty())
    text += Text("; of earlier attempts, which the report leaves out: ", SomeNames(earlier));
  return text;
}

// What the user asked not to have.
std::string LeftOutText(const ClosingFacts& facts) {
  std::string text;
  uint64_t not_shown = 0;
  for (const RankManifest& trace : facts.traces) not_shown += trace.not_shown.All();
  uint64_t not_recorded = 0;
  for (const RankManifest& trace : facts.traces) not_recorded += trace.not_recorded.All();
  if (not_shown != 0) text = Text("; ", CountText(not_shown), " more are not shown, as asked");
  if (not_recorded != 0)
    text += Text("; ", CountText(not_recorded), " more were not recorded, as asked");
  if (facts.left_out_ranks != 0)
    text += Text("; --ranks leaves ", Counted(facts.left_out_ranks, "rank"), " out");
  return text;
}

std::string WrittenLine(const ClosingFacts& facts) {
  uint64_t events = 0;
  uint64_t processes = 0;
  uint64_t bytes = 0;
  uint64_t left_out = 0;
  std::vector<const RankManifest*> ranks, apart;
  for (const RankManifest& trace : facts.traces)
    (trace.rank >= 0 ? ranks : apart).push_back(&trace);
  if (ranks.empty()) std::swap(ranks, apart);
  for (const RankManifest* trace : ranks) {
    events += trace->events;
    left_out += trace->processes_left_out;
    // A process that became another program has a row for each, one after the other; another
    // process may have had its pid before.
    int32_t before = -1;
    for (const ManifestProcess& process : trace->processes) {
      processes += process.pid != before;
      before = process.pid;
    }
    bytes += trace->trace_bytes;
  }
  const std::string where = ShellQuote(ShortPath(facts.directory));
  const std::string what =
      Text(Counted(events, "event"), " of ", Counted(processes, "process"),
           left_out == 0 ? "" : Text(" (and ", CountText(left_out), " more that recorded nothing)"),
           ", ", SizeText(bytes), ApartText(apart), LeftOutText(facts));
  if (ranks.size() == 1 && ranks[0]->rank == 0)
    return Text("wrote ", where == "/" ? std::string() : where, "/", ranks[0]->trace, ": ", what);
  return Text("wrote ", Counted(ranks.size(), "trace"), " to ", where, ": ", what);
}

std::string LostLine(const ClosingFacts& facts) {
  std::map<std::string, uint64_t> losses;
  for (const RankManifest& trace : facts.traces) {
    for (const auto& [name, count] : trace.losses) losses[name] += count;
  }
  std::string line;
  for (const auto& [name, count] : losses) {
    if (count == 0 || name == kNoEnd) continue;
    line += Text(line.empty() ? "lost: " : "; ", LossText(name, count));
  }
  return line;
}

// Ranks of which nobody could write the end, and who failed first.
std::string NoEndLine(const ClosingFacts& facts) {
  std::vector<int> ranks;
  for (const RankManifest& trace : facts.traces) {
    if (trace.losses.contains(kNoEnd)) ranks.push_back(trace.rank);
  }
  return ranks.empty() ? "" : Text(NoEndText(ranks), FirstFailureText(facts.directory));
}

// What the processes said cannot be recorded at all, once each: "CUDA: GPU work will not be
// recorded: ...".
std::string NotRecordedLine(const ClosingFacts& facts) {
  std::set<std::string> said;
  for (const RankManifest& trace : facts.traces) {
    for (const ManifestProcess& process : trace.processes) {
      for (std::string& line : MissingByLog(process.log)) said.insert(std::move(line));
    }
  }
  if (said.empty()) return "";
  const std::string more =
      said.size() == 1 ? "" : Text(" (and ", said.size() - 1, " more: run/rank-*.json, \"log\")");
  return *said.begin() + more;
}

// Programs that were started without our variables.
std::string UnrecordedLine(const ClosingFacts& facts) {
  std::set<std::string> said;
  for (const RankManifest& trace : facts.traces)
    said.insert(trace.unrecorded.begin(), trace.unrecorded.end());
  if (said.empty()) return "";
  const std::string more =
      said.size() == 1 ? ""
                       : Text(" (and ", said.size() - 1, " more: run/rank-*.json, \"unrecorded\")");
  return *said.begin() + more;
}

// Traces whose times cannot be laid side by side as they stand.
std::string OtherBases(const ClosingFacts& facts) {
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

std::string SomeRanks(const std::vector<int>& ranks) {
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(std::to_string(rank));
  return Text(names.size() == 1 ? "rank " : "ranks ", SomeNames(names));
}

std::string MissingLine(const ClosingFacts& facts) {
  std::string line = OtherBases(facts);
  if (!facts.missing_ranks.empty()) {
    line += Text(line.empty() ? "" : "; ", "not written: ", SomeRanks(facts.missing_ranks),
                 "; `syncline recover ", ShellQuote(ShortPath(facts.directory)),
                 "` writes what is left of them");
  }
  if (!facts.absent_ranks.empty()) {
    line += Text(line.empty() ? "" : "; ", "not recorded: ", SomeRanks(facts.absent_ranks),
                 ", which no `syncline` has started");
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

// Traces that a viewer does not open as they are.
std::string TooLargeLine(const ClosingFacts& facts) {
  const RankManifest* largest = nullptr;
  size_t count = 0;
  for (const RankManifest& trace : facts.traces) {
    if (trace.text_bytes <= kMostViewedText) continue;
    ++count;
    if (largest == nullptr || trace.text_bytes > largest->text_bytes) largest = &trace;
  }
  if (largest == nullptr) return "";
  return Text(
      count == 1 ? Text(largest->trace, " is ") : Text(Counted(count, "trace"), " are up to "),
      SizeText(largest->text_bytes), " of text, and the Perfetto UI opens about ",
      SizeText(kMostViewedText), ": `syncline view ", ShellQuote(ShortPath(facts.directory)),
      largest->rank > 0 ? Text(" --rank ", largest->rank) : "",
      " --last 10s` opens a part; --steps, --duration or --min-duration write less");
}

// Processes that have a rank are in its trace all the same.
bool RecordedNothing(const ClosingFacts& facts) {
  return std::all_of(facts.traces.begin(), facts.traces.end(), [](const RankManifest& trace) {
    return trace.events + trace.not_shown.All() == 0;
  });
}

// One line, as there are four at most.
std::string LossesLine(const ClosingFacts& facts) {
  std::string line;
  for (const std::string& part :
       {NotRecordedLine(facts), UnrecordedLine(facts), LostLine(facts), NoEndLine(facts),
        MissingLine(facts), TooLargeLine(facts), facts.never_open, facts.no_steps,
        facts.no_functions, facts.unmatched}) {
    if (!part.empty()) line += Text(line.empty() ? "" : "; ", part);
  }
  return line;
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

// Whether each call of a function that --python-ranges names was recorded, as far as is known.
bool AllFunctionsAreSeen(const ClosingFacts& facts) {
  if (!facts.looked_for || !facts.looked_for->processes.empty() || facts.left_out_ranks != 0 ||
      !LooksFor(*facts.looked_for, "python"))
    return false;
  if (!facts.missing_ranks.empty() || !facts.absent_ranks.empty() || !facts.running.empty() ||
      !facts.late.empty())
    return false;
  for (const RankManifest& trace : facts.traces) {
    for (const auto& [name, count] : trace.losses) {
      if (count != 0) return false;
    }
    for (const ManifestProcess& process : trace.processes) {
      if (process.gate.gated || process.log.find(kNoPythonRanges) != std::string::npos)
        return false;
    }
  }
  return true;
}

// Of a name in which digits have become '#' (RangeKey) only the rest is compared.
bool FitsFunction(std::string pattern, const std::string& name) {
  if (MatchesGlob(pattern, name)) return true;
  if (name.find('#') == std::string::npos) return false;
  for (char& c : pattern) {
    if (c == '?' || (c >= '0' && c <= '9')) c = '*';
  }
  return MatchesGlob(pattern, name);
}

bool IsCalled(const std::string& pattern, const RunFindings& findings) {
  return std::any_of(findings.ranges.begin(), findings.ranges.end(), [&](const auto& range) {
    return range.first.domain == kPythonDomain && FitsFunction(pattern, range.first.name);
  });
}

std::vector<std::string> PatternsIn(std::string_view list) {
  std::vector<std::string> patterns;
  LabelledPattern one;
  while (NextLabelledPattern(&list, &one)) patterns.emplace_back(one.pattern);
  return patterns;
}

}  // namespace

std::string NoFunctionsText(const std::string& patterns, const RunFindings& findings,
                            const ClosingFacts& facts) {
  if (!AllFunctionsAreSeen(facts)) return "";
  for (const auto& [range, sums] : findings.ranges) {
    if (range.name == kOtherNames) return "";  // too many to name each
  }
  std::string text;
  std::vector<std::string> asked = PatternsIn(patterns);
  for (const auto& [preset, functions] : facts.looked_for->presets) {
    bool any = false;  // a program has only a part of what a framework has
    for (const std::string& pattern : PatternsIn(functions)) {
      any = any || IsCalled(pattern, findings);
      std::erase(asked, pattern);
    }
    if (!any) text += Text("--preset ", ShellQuote(preset), ": none of its functions was called; ");
  }
  std::vector<std::string> unfit;
  for (const std::string& pattern : asked) {
    if (!IsCalled(pattern, findings)) unfit.push_back(ShellQuote(pattern));
  }
  if (unfit.empty()) return text.substr(0, text.size() - std::min<size_t>(text.size(), 2));
  return Text(text, "--python-ranges: no function that was called fits ", SomeNames(unfit));
}

std::string NoStepsText(const std::string& pattern, const RunFindings& findings) {
  std::set<std::string> names;
  for (const auto& [range, sums] : findings.ranges) {
    if (MatchesGlob(pattern, range.name)) return "";
    names.insert(range.name);
  }
  const std::string none = Text("no range fits --step-range ", ShellQuote(pattern));
  if (names.empty()) return Text(none, ": ", kProgramHasNoRanges);
  return Text(none, ": there are ", SomeNames({names.begin(), names.end()}));
}

std::string CompilationsText(const RunFindings& findings) {
  uint64_t count = 0, ns = 0;
  for (const auto& [key, sums] : findings.compilations) {
    if (key.kind == CompileKind::kBreak) continue;
    count += sums.count;
    ns += sums.total_ns;
  }
  return count == 0 ? "" : Text(Counted(count, "compilation"), ", which took ", DurationText(ns));
}

namespace {

// Of traces without an event: their processes were there, and came to nothing.
std::string NoEventLine(const ClosingFacts& facts) {
  const char* none = facts.traces.size() == 1 ? "no event is in it" : "no event is in them";
  if (!facts.compilations.empty()) return Text(none, " but ", facts.compilations);
  for (const RankManifest& trace : facts.traces) {
    for (const ManifestProcess& process : trace.processes) {
      if (process.exit_kind == "signaled")
        return Text(none, ": ", PrintableText(process.name), " (", process.pid, ") was ",
                    process.exit_text, " before it had recorded one");
    }
  }
  constexpr std::string_view kNothing = "nothing was recorded";
  return none + NothingRecordedLine(*facts.looked_for).substr(kNothing.size());
}

std::string WithPreloadWords(const std::string& line, const ClosingFacts& facts) {
  const std::string words = facts.looked_for ? facts.looked_for->preload : "";
  return line.empty() || words.empty() ? line + words : Text(line, "; ", words);
}

}  // namespace

std::vector<std::string> ClosingLines(const ClosingFacts& facts) {
  if (facts.traces.empty() && facts.missing_ranks.empty()) {
    std::vector<std::string> lines = {
        WithPreloadWords(NothingRecordedLine(facts.looked_for.value_or(LookedFor())), facts)};
    if (facts.looked_for && !facts.looked_for->stays.empty()) {
      lines.push_back(
          Text(ShellQuote(ShortPath(facts.directory)), " stays: ", facts.looked_for->stays));
    }
    if (const std::string missing = MissingLine(facts); !missing.empty()) lines.push_back(missing);
    return lines;
  }
  const std::string path = ShellQuote(ShortPath(facts.directory));
  std::vector<std::string> lines = {
      WrittenLine(facts), LossesLine(facts), facts.finding,
      Text("look at it: syncline view ", path, "; what to change: syncline report ", path)};
  if (facts.looked_for && facts.missing_ranks.empty() && RecordedNothing(facts) && lines[1].empty())
    lines[1] = NoEventLine(facts);
  lines[1] = WithPreloadWords(lines[1], facts);
  std::erase(lines, "");
  return lines;
}

void GatherOtherRanks(const RecordedRun& request, ClosingFacts* facts) {
  int32_t world_size = request.own_rank.world_size;
  for (const RankManifest& trace : facts->traces) {
    if (trace.rank >= 0) world_size = std::max(world_size, trace.world_size);
  }
  if (world_size > kMostRanks) return;
  std::set<int> missing;
  for (int rank = 0; rank < world_size; ++rank) missing.insert(missing.end(), rank);
  for (const RankManifest& trace : facts->traces) missing.erase(trace.rank);
  const std::string directory = request.job.directory + "/run";
  for (const std::string& name : ListDirectory(directory)) {
    const int rank = RankOfManifest(name);
    RankManifest manifest;
    if (!missing.contains(rank) || !ReadManifest(directory + "/" + name, &manifest).ok()) continue;
    facts->traces.push_back(std::move(manifest));
    missing.erase(rank);
  }
  facts->left_out_ranks =
      std::erase_if(missing, [&](int rank) { return IsLeftOut(request.job.directory, rank); });
  facts->missing_ranks.clear();
  facts->absent_ranks.clear();
  const bool has_places = Exists(PlaceFile(request.job.directory, request.own_rank.rank));
  for (const int rank : missing) {
    const bool came =
        !has_places || request.own_rank.rank < 0 || Exists(PlaceFile(request.job.directory, rank));
    (came ? facts->missing_ranks : facts->absent_ranks).push_back(rank);
  }
}

namespace {

// False: another launcher of the job said the lines, or will.
bool SpeaksForAll(const RecordedRun& request, ClosingFacts* facts) {
  const std::string run = request.job.directory + "/run/";
  const int64_t deadline = MonotonicMs() + kWaitForRanksMs;
  for (;;) {
    GatherOtherRanks(request, facts);
    // On a disk that is full nobody can say that it spoke: better several than none.
    if (facts->missing_ranks.empty() && facts->absent_ranks.empty())
      return CreateExclusively(run + "told", "all\n") != EEXIST;
    if (IsLauncherAtWork(request.job.directory)) return false;
    if (MonotonicMs() >= deadline) break;
    constexpr timespec kPoll = {0, kPollMs * 1000000};
    nanosleep(&kPoll, nullptr);
  }
  // Where launchers cannot see each other, the one of rank 0 speaks.
  if (!request.marked) return request.own_rank.rank == 0;
  return CreateExclusively(run + "told-in-part", "not all\n") != EEXIST;
}

// The findings of all ranks take no more than a quarter of the memory that is free.
bool FitsIntoMemory(const std::string& directory) {
  constexpr uint64_t kBytesPerByte = 20;  // in memory, of a compressed file's
  uint64_t bytes = 0;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(Text(directory, "/run/", name), ignored);
    if (name.ends_with(".findings") && !ignored) bytes += size;
  }
  return bytes < AvailableMemory() / 4 / kBytesPerByte;
}

// "" if a process recorded something, or none has a gate.
std::string NeverOpenOf(const std::vector<RankManifest>& traces) {
  ManifestGate all;
  for (const RankManifest& trace : traces) {
    if (trace.events != 0) return "";
    for (const ManifestProcess& process : trace.processes) {
      const ManifestGate& gate = process.gate;
      if (gate.windows != 0) return "";
      all.gated = all.gated || gate.gated;
      all.steps = std::max(all.steps, gate.steps);
      for (const std::string& name : gate.range_names) all.range_names.push_back(name);
    }
  }
  if (!all.gated) return "";
  std::sort(all.range_names.begin(), all.range_names.end());
  const auto same = std::unique(all.range_names.begin(), all.range_names.end());
  all.range_names.erase(same, all.range_names.end());
  return NeverOpenText(GivenGateOptions(), all);
}

void TellFindings(const RunFindings& findings, const RankMeetings& meetings, ClosingFacts* facts) {
  facts->finding = OneFinding(findings, meetings);
  facts->compilations = CompilationsText(findings);
  const std::string patterns = OptionText(OptionIndex("python.ranges"));
  if (OptionNumber(OptionIndex("python")) != 0 && !RecordedNothing(*facts))
    facts->no_functions = NoFunctionsText(patterns, findings, *facts);
  if (facts->missing_ranks.empty() && facts->absent_ranks.empty() && facts->running.empty() &&
      facts->late.empty())
    facts->unmatched =
        UnmatchedText(GivenNameOptions(), findings, facts->traces, facts->left_out_ranks != 0);
  const bool names_functions = !patterns.empty() || *OptionText(OptionIndex("preset")) != '\0';
  if (facts->unmatched.empty() && !names_functions && OptionNumber(OptionIndex("python")) != 0)
    facts->unmatched = PresetHint(findings);
}

// Of all ranks whose findings are there.
void TellAllFindings(const RecordedRun& request, const RunSummary& summary, ClosingFacts* facts) {
  bool all_here = true;
  for (const std::string& name : ListDirectory(request.job.directory + "/run")) {
    constexpr std::string_view kSuffix = ".findings";
    if (!name.ends_with(kSuffix)) continue;
    all_here =
        all_here && summary.findings.ranks.contains(name.substr(0, name.size() - kSuffix.size()));
  }
  if (all_here) {
    WriteSignatureFile(request.job.directory, summary.findings);
    return TellFindings(summary.findings, summary.meetings, facts);
  }
  if (!FitsIntoMemory(request.job.directory)) {
    facts->finding =
        Text("the findings of all ranks are too many to be read here; `syncline report ",
             ShellQuote(ShortPath(request.job.directory)), "` on a larger machine shows them");
    return;
  }
  ReadRun run = ReadRunFindings(request.job.directory);
  for (const std::string& problem : run.problems) SayWarning(problem);
  const RankMeetings meetings = MeetingsOf(&run.findings);
  WriteSignatureFile(request.job.directory, run.findings);
  TellFindings(run.findings, meetings, facts);
}

}  // namespace

void SayClosingLines(const RecordedRun& request, const RunSummary& summary) {
  for (const std::string& problem : summary.problems)
    summary.failed ? SayError(problem) : SayWarning(problem);
  // One is enough: the others are of the same kind.
  const std::vector<std::string> nameless = NativeNameProblems();
  if (!nameless.empty()) SayWarning(nameless.front() + " (`syncline doctor` says more)");
  if (summary.failed) {
    SayError(Text(
        "the records are kept. When the cause is mended, write the traces with `syncline recover ",
        ShellQuote(ShortPath(request.job.directory)), "`."));
  }
  ClosingFacts facts;
  facts.directory = request.job.directory;
  facts.traces = summary.written;
  facts.running = summary.running;
  facts.late = summary.late;
  facts.looked_for = request.looked_for;
  if (request.looked_for) facts.left_out_ranks = request.looked_for->ranks_left_out;
  const bool one_of_many = request.own_rank.rank >= 0 && request.own_rank.world_size > 1;
  if (one_of_many && !SpeaksForAll(request, &facts)) return;
  if (facts.traces.empty() && summary.failed) return;
  if (!facts.traces.empty()) TellAllFindings(request, summary, &facts);
  const std::string steps = OptionText(OptionIndex("step.range"));
  const bool any_steps = std::any_of(facts.traces.begin(), facts.traces.end(),
                                     [](const RankManifest& trace) { return trace.steps != 0; });
  facts.never_open = NeverOpenOf(facts.traces);
  if (facts.never_open.empty() && !steps.empty() && !any_steps && !summary.findings.ranks.empty())
    facts.no_steps = NoStepsText(steps, summary.findings);
  for (const std::string& line : ClosingLines(facts)) Say(line);
}

std::string FirstFailureText(const std::string& directory) {
  std::string text;
  int64_t rank = 0;
  if (ReadRunFile(directory + "/run/first-failure", kMostFailureText, &text) != 0 ||
      !text.ends_with("\n"))
    return "";
  text.pop_back();
  if (!ParseOptionValue(OptionType::kInt, text.c_str(), &rank) || rank < 0) return "";
  return Text("; rank ", rank, " was the first to fail");
}

std::string ShortPath(const std::string& of) {
  const std::string path = NameOfHeld(of);
  const std::string here = AbsolutePath(".") + "/";
  const std::string below =
      path.starts_with(here) && path.size() > here.size() ? path.substr(here.size()) : path;
  return below.starts_with('-') ? "./" + below : below;  // it would be an option
}

}  // namespace syncline
