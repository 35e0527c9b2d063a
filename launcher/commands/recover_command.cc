// SPDX-License-Identifier: Apache-2.0
// `syncline recover`: traces from the spools and segments that a crash left, or that processes
// without a launcher wrote.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "base/run_file.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/local_folder.h"
#include "launcher/jobs/node_places.h"
#include "launcher/record/rank_groups.h"
#include "launcher/record/write_run.h"
#include "launcher/show/closing_lines.h"
#include "launcher/show/interruptible_work.h"
#include "launcher/start/program.h"
#include "launcher/start/spawn.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

constexpr uint64_t kMostBaseNote = 4096;
constexpr timespec kWaitStep = {0, 50'000'000};
constexpr int64_t kOldestNoteNs = (int64_t{1} << 21) * 1'000'000'000;  // of another job: 24 days

struct RecoverLine {
  std::string directory;
  bool keep_spools = false;
  int wait_pid = 0;
};

// One recovery of a run at a time; held until the end of the process.
bool LockRun(const std::string& directory, bool wait, std::string* error) {
  const std::string run = directory + "/run";
  const int fd = open(run.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    *error = Text(ShellQuote(directory), " is not the directory of a run: ", ErrorText(errno), " (",
                  ShellQuote(run), "). Name the directory that `syncline run` printed.");
    return false;
  }
  if (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0 || errno != EWOULDBLOCK) return true;
  *error =
      Text("another `syncline recover` is at work on ", ShellQuote(directory), ": let it finish.");
  close(fd);
  return false;
}

class Recovery {
 public:
  explicit Recovery(const RecoverLine& line) : line_(line) {
    char node[64];
    FindNodeName(Environment, node, sizeof(node));
    request_.node = node;
    request_.keep_spools = line.keep_spools;
    if (std::string(OptionText(OptionIndex("time.unit"))) == "us") request_.unit = TimeUnit::kUs;
  }

  int Run();
  // Whether processes that are gone have left records that are in no trace, and no launcher is at
  // work on them. With `keep_spools`: changes nothing.
  bool IsNeeded();

 private:
  void ReadJobFile();
  void Scan();
  BaseTime AgreeOnBase() const;
  void WaitForRank();
  std::vector<RankGroup> OpenGroups();
  bool IsWritten(const ProcessInput& input, const RankManifest& manifest) const;
  void Tidy() const;
  bool HasTraces() const;
  int ReportNothingWritten(const RunSummary& summary) const;

  const RecoverLine& line_;
  RecordedRun request_;
  std::vector<int> busy_launchers_;
  std::set<std::string> problems_;  // sentences, of all scans
  bool other_layout_ = false;       // some spools are left to another version
};

// A run that processes recorded by themselves has no job file.
void Recovery::ReadJobFile() {
  std::string error;
  if (Exists(line_.directory + "/run/job.json") &&
      !ReadJob(line_.directory, &request_.job, &error)) {
    SayWarning(Text(error, " Going on without it."));
  }
  request_.job.directory = AbsolutePath(line_.directory);
  if (request_.job.node == request_.node) request_.anchor = request_.job.first_anchor;
}

void Recovery::Scan() {
  NoteForgottenFolders(LocalParents(), request_.job.directory,
                       Text(SpoolRoot(request_.job.directory), "/", request_.node));
  SpoolScan scan = ScanSpools(request_.job.directory, request_.node, {});
  request_.spools = std::move(scan.spools);
  busy_launchers_ = std::move(scan.busy_launchers);
  other_layout_ = !scan.other_layout.empty();
  // What is drained is a problem of one scan only.
  for (const std::string& problem : scan.problems) problems_.insert(problem);
  if (line_.wait_pid == 0 && !scan.elsewhere.empty())
    problems_.insert(DescribeElsewhere(scan, request_.job.directory));
}

// Without a job file: the first recovery of the run decides, and leaves a note for the other
// ranks', which may have begun on the other side of a grid point. Ranks that do not see the note
// find the same grid point, but for those.
BaseTime Recovery::AgreeOnBase() const {
  uint64_t first = UINT64_MAX;
  for (const FoundSpool& spool : request_.spools) {
    if (spool.problem.empty()) first = std::min(first, spool.facts.start_realtime_ns);
  }
  if (first == UINT64_MAX) return {};
  const std::string note = request_.job.directory + "/run/base-time";
  int64_t noted = 0;
  std::string text = VariableText(Variable::kBaseTime);
  BaseFrom from = BaseFrom::kInherited;
  if (!ParseOptionValue(OptionType::kInt, text.c_str(), &noted)) {
    const bool kinetos = std::string_view(OptionText(OptionIndex("base.time"))) == "kineto";
    from = kinetos ? BaseFrom::kKineto : BaseFrom::kGrid;
    noted = static_cast<int64_t>(BaseTimeOf(from, first).ns);
  }
  if (CreateExclusively(note, Text(noted, " ", BaseFromName(from), "\n")) == EEXIST &&
      ReadRunFile(note, kMostBaseNote, &text) == 0) {
    const size_t space = text.find(' ');
    int64_t theirs = 0;
    if (space != std::string::npos && text.ends_with('\n') &&
        ParseOptionValue(OptionType::kInt, text.substr(0, space).c_str(), &theirs) &&
        static_cast<int64_t>(first) - theirs < kOldestNoteNs) {
      noted = theirs;
      from = BaseFromOf(std::string_view(text).substr(space + 1, text.size() - space - 2));
    }
  }
  return {static_cast<uint64_t>(noted), from};
}

// Called by the first process of a rank while it ends: the rank's other processes may live on.
void Recovery::WaitForRank() {
  for (;; nanosleep(&kWaitStep, nullptr)) {
    Scan();
    int rank = -1;
    for (const FoundSpool& spool : request_.spools) {
      if (spool.facts.pid == line_.wait_pid) rank = spool.facts.rank;
    }
    const bool running = std::any_of(
        request_.spools.begin(), request_.spools.end(),
        [&](const FoundSpool& spool) { return spool.running && spool.facts.rank == rank; });
    if (!running) return;
  }
}

bool Recovery::IsWritten(const ProcessInput& input, const RankManifest& manifest) const {
  SpoolFacts facts;
  if (!ReadSpoolFacts(input.spool, &facts).ok()) return false;
  // The time too: a process that outlives its launcher goes on in another segment.
  return std::any_of(
      manifest.processes.begin(), manifest.processes.end(), [&](const ManifestProcess& process) {
        return process.pid == input.outer_pid && process.segment_ns == facts.start_realtime_ns;
      });
}

// Ranks that have no complete trace. Of a rank that has one: spools that are in it are removed (the
// launcher died between writing and removing); those of processes that outlived the run become a
// trace of their own beside it.
std::vector<RankGroup> Recovery::OpenGroups() {
  std::vector<RankGroup> open;
  for (RankGroup& group : GroupByRank(request_)) {
    RankManifest manifest;
    if (!ReadManifest(ManifestPath(request_.job.directory, group.name), &manifest).ok()) {
      open.push_back(std::move(group));
      continue;
    }
    std::erase_if(group.inputs, [&](const ProcessInput& input) {
      if (!IsWritten(input, manifest)) return false;
      if (!line_.keep_spools) unlink(input.spool.c_str());
      return true;
    });
    if (group.inputs.empty()) continue;
    int number = 1;
    while (Exists(ManifestPath(request_.job.directory, Text(group.name, "-late-", number))))
      ++number;
    group.name += Text("-late-", number);
    open.push_back(std::move(group));
  }
  return open;
}

void Recovery::Tidy() const {
  const std::string root = SpoolRoot(request_.job.directory);
  if (!IsRealDirectory(root)) return;
  for (const std::string& host : ListDirectory(root)) {
    const std::string folder = root + "/" + host;
    if (!IsRealDirectory(folder)) continue;
    bool spools_left = false;
    for (const std::string& name : ListDirectory(folder)) {
      if (host == request_.node) TidyAfterLauncher(folder + "/" + name);
      RemoveIfEmpty(folder + "/" + name);
      spools_left = spools_left || name.ends_with(kSpoolSuffix);
    }
    for (const std::string& name : ListDirectory(folder)) {
      if (!spools_left && name.ends_with(".owner")) unlink((folder + "/" + name).c_str());
    }
  }
  RemoveEmptySpools(request_.job.directory);
}

bool Recovery::HasTraces() const {
  const std::vector<std::string> names = ListDirectory(request_.job.directory);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.ends_with(".trace.json.gz"); });
}

int Recovery::Run() {
  ReadJobFile();
  if (line_.wait_pid > 0) {
    WaitForRank();
  } else {
    Scan();
  }
  std::string error;
  if (!LockRun(request_.job.directory, line_.wait_pid > 0, &error)) {
    SayError(error);
    return kExitOurFailure;
  }
  Scan();  // again, under the lock: another recovery may have done it meanwhile
  for (const std::string& problem : problems_) SayWarning(problem);
  if (!busy_launchers_.empty()) {
    SayError(Text("a launcher (pid ", busy_launchers_.front(), ") is still at work on ",
                  ShellQuote(line_.directory), ": let it finish, or end it first."));
    return kExitOurFailure;
  }
  if (request_.spools.empty()) {
    Tidy();
    if (other_layout_) return kExitOurFailure;
    if (HasTraces()) {
      Say(Text("nothing is left to recover in ", ShellQuote(line_.directory),
               ": its traces are written"));
      return 0;
    }
    SayError(Text("there are no records in ", ShellQuote(line_.directory),
                  ": nothing was recorded, its spools were removed, or the launcher was killed "
                  "before it took what processes handed to it, which is lost then."));
    return kExitOurFailure;
  }
  if (request_.job.base_time.ns == 0) request_.job.base_time = AgreeOnBase();
  const std::vector<RankGroup> groups = OpenGroups();
  request_.samples = SampleFiles(request_.job.directory);
  const InheritedState signals;
  RunSummary summary;
  const bool finished = WorkInForeground(
      [&](WorkProgress* progress) { summary = WriteRun(request_, groups, progress); },
      "writing traces", "interrupted: the records are kept; the same command goes on.");
  if (!finished) return kExitOurFailure;
  Tidy();
  if (!groups.empty()) {
    SayClosingLines(request_, summary);
    return summary.failed ? kExitOurFailure : 0;
  }
  return ReportNothingWritten(summary);
}

// Of another node's processes only their spool tells: who writes it does so every few seconds.
bool MayBeWritten(const FoundSpool& spool, const std::string& node) {
  constexpr time_t kQuietSeconds = 60;
  struct stat info;
  return spool.running || (spool.facts.host != node && stat(spool.path.c_str(), &info) == 0 &&
                           time(nullptr) - info.st_mtime < kQuietSeconds);
}

bool Recovery::IsNeeded() {
  ReadJobFile();
  Scan();
  std::erase_if(request_.spools, [this](const FoundSpool& spool) {
    return !spool.problem.empty() || MayBeWritten(spool, request_.node);
  });
  return busy_launchers_.empty() && !OpenGroups().empty();
}

// There were spools, but none that belongs into a new trace.
int Recovery::ReportNothingWritten(const RunSummary& summary) const {
  for (const std::string& problem : summary.problems) SayWarning(problem);
  if (!summary.running.empty()) {
    Say(Text("still running: ", JoinNames(summary.running), "; recover again when it has ended"));
    return 0;
  }
  if (summary.problems.empty()) {
    Say(Text("nothing is left to recover in ", ShellQuote(line_.directory),
             ": its traces are written"));
    return 0;
  }
  SayError(Text("nothing could be recovered from the records in ", ShellQuote(line_.directory),
                "; they are left as they are."));
  return kExitOurFailure;
}

}  // namespace

void RecoverWhatIsLeft(const std::string& directory) {
  if (!IsDirectory(directory + "/run/spool")) return;
  RecoverLine line;
  line.directory = directory;
  line.keep_spools = true;
  if (!Recovery(line).IsNeeded()) return;
  line.keep_spools = false;
  Say(Text("records in ", ShellQuote(directory), " are in no trace yet: they are written first"));
  // In a process of its own: it blocks signals and keeps its lock until its end.
  const pid_t child = fork();
  if (child == 0) _exit(Recovery(line).Run());
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int RunRecover(const Arguments& arguments) {
  CommandLine words("recover");
  RecoverLine line;
  bool quiet = false;
  words.Word("directory", &line.directory);
  words.Flag("--keep-spool", &line.keep_spools,
             "Keep the raw records after their trace is written");
  words.Flag("-q, --quiet", &quiet, "Say nothing but errors");
  words.Number("--wait-pid", &line.wait_pid, "");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(quiet || OptionNumber(OptionIndex("quiet")) != 0,
                OptionText(OptionIndex("log.level")));
  while (line.directory.size() > 1 && line.directory.ends_with("/")) line.directory.pop_back();
  return Recovery(line).Run();
}

}  // namespace syncline
