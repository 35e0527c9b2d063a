// SPDX-License-Identifier: Apache-2.0
// One recorded run: directory, recorder, environment, program, traces, last lines.
#include "launcher/commands/recording.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <set>
#include <system_error>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/commands/compile_log_folders.h"
#include "launcher/commands/presets.h"
#include "launcher/host/files.h"
#include "launcher/host/held_directory.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/job.h"
#include "launcher/jobs/job_name.h"
#include "launcher/jobs/left_out_ranks.h"
#include "launcher/jobs/node_places.h"
#include "launcher/jobs/undo_job_entry.h"
#include "launcher/record/living_processes.h"
#include "launcher/record/load_watch.h"
#include "launcher/record/other_servers.h"
#include "launcher/record/rank_groups.h"
#include "launcher/record/recorder.h"
#include "launcher/record/run_samples.h"
#include "launcher/record/stage_lines.h"
#include "launcher/record/write_run.h"
#include "launcher/show/closing_lines.h"
#include "launcher/show/interruptible_work.h"
#include "launcher/show/split_trace.h"
#include "launcher/start/cupti_folder.h"
#include "launcher/start/program.h"
#include "launcher/start/spawn.h"
#include "launcher/start/unrecorded.h"
#include "model/run/exit_facts.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

constexpr int64_t kRecoveryWaitNs = 3'000'000'000;
constexpr timespec kRecoveryStep = {0, 50'000'000};
constexpr int kLastMoments = 5;
constexpr timespec kLastMoment = {0, 20'000'000};

// "job 12 step 3" for directories' names; "" outside of batch systems.
std::string BatchJobId() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"}) {
    const char* value = Environment(name);
    if (value == nullptr || *value == '\0') continue;
    std::string id = value;
    for (char& c : id) {
      if (std::strchr("/ \t:", c) != nullptr) c = '_';
    }
    return id;
  }
  return "";
}

bool IsProgramWord(const std::string& word) {
  if (word.ends_with(".py") || word.ends_with(".sh")) return Exists(word);
  return !FindProgram(word, Environment("PATH")).path.empty();
}

uint64_t DiskReserve() { return static_cast<uint64_t>(OptionNumber(OptionIndex("disk.reserve"))); }

// One run, in the order of its members' lives: sockets and spools go away after the recorder.
class Recording {
 public:
  Recording(const RecordRequest& request, const InheritedState& inherited)
      : request_(request), own_rank_(FindRank(Environment)), program_(inherited) {
    char node[64];
    FindNodeName(Environment, node, sizeof(node));
    node_ = node;
  }

  // *why: the program is to run unrecorded, because of that.
  void Enter(std::string* why);
  // 0, or the status to leave with: there is no such program.
  int StartProgram(std::string* why);
  bool HasProgram() const { return program_.pid() > 0; }
  int WaitForProgram();  // its wait status
  void Finish();
  // Takes away what Enter has made; the program was not started.
  void Abandon();

 private:
  JobRequest DescribeJob() const;
  bool HoldPlace();
  bool StartRecorder(std::string* error);
  void StartStageLines();
  void MoveOnIfRemoved(std::vector<RecordedProcess>* processes);
  EnvRequest RankRequest() const;
  SpoolScan ScanSelfDrained(const RecordedRun& format) const;
  bool HasTrace(int rank) const;
  void LeaveToOthers(const SpoolScan& scan, RecordedRun* format) const;
  void AddSelfDrained(RecordedRun* format) const;
  void TellFirstFailure() const;
  void FindLate(const RecordedRun& format, RunSummary* summary) const;
  bool IsGiven(size_t option) const {
    return std::any_of(request_.options.begin(), request_.options.end(),
                       [option](const GivenOption& given) { return given.index == option; });
  }
  std::string PreloadWords() const;
  std::string Leave() const;
  std::string LeaveEmptyRun() const;

  const RecordRequest& request_;
  RankFacts own_rank_;
  std::string node_;
  Job job_;            // its directory by the path that holds it
  std::string named_;  // that directory as it was named when the program began
  SocketPlace sockets_;
  SpoolPlace spools_;
  LauncherMark mark_;
  Anchor anchor_ = TakeAnchor(NodeClock());
  const LoadWatch load_;
  std::unique_ptr<Recorder> recorder_;
  RunSamples samples_;
  std::unique_ptr<StageLines> stage_lines_;  // null: not asked for
  std::string drained_inside_;               // why there is no recorder although one was wanted
  OtherServers servers_;                     // before the program is started
  Program program_;
  int child_pid_ = 0;
  int child_status_ = 0;
};

JobRequest Recording::DescribeJob() const {
  JobRequest job;
  job.output = OptionText(OptionIndex("output"));
  job.force = OptionNumber(OptionIndex("force")) != 0;
  job.key = VariableText(Variable::kJobKey);
  if (job.key.empty()) {
    char key[1024];
    FindJobKey(Environment, key, sizeof(key));
    job.key = key;
  }
  job.allocation = FindAllocation(Environment);
  job.name = JobName(request_.arguments, IsProgramWord);
  job.job_id = BatchJobId();
  job.rank = own_rank_.rank;
  int64_t base = 0;
  const char* inherited = VariableText(Variable::kBaseTime);
  if (ParseOptionValue(OptionType::kInt, inherited, &base)) job.inherited_base_ns = base;
  job.kinetos_base = std::string_view(OptionText(OptionIndex("base.time"))) == "kineto";
  job.several_nodes = own_rank_.rank >= 0 && own_rank_.world_size != 1 &&
                      (own_rank_.local_size <= 0 || own_rank_.local_size != own_rank_.world_size);
  job.node = node_;
  if (OptionNumber(OptionIndex("command.line")) != 0) job.command = request_.arguments;
  for (size_t i = 0; i < kOptionCount; ++i)
    job.options.emplace_back(kOptions[i].name, OptionText(i));
  return job;
}

// False: another launcher has renamed the directory in this moment.
bool Recording::HoldPlace() {
  named_ = job_.directory;
  job_.directory = HoldDirectory(named_);
  return HoldsJob(job_);
}

bool Recording::StartRecorder(std::string* error) {
  const auto bytes = [](size_t index) { return static_cast<uint64_t>(OptionNumber(index)); };
  if (!sockets_.Make(error) ||
      !spools_.Make(job_.directory, node_, IsNetworkFileSystem(job_.directory), error))
    return false;
  RecorderConfig config{};
  config.run_directory = named_;
  config.spool_directory = spools_.directory();
  config.make_local_folder = [this] { return spools_.MakeLocal(); };
  config.rest_directory = SpoolRoot(job_.directory) + "/" + node_;
  config.socket_prefix = sockets_.prefix();
  mark_.Make(job_.directory, node_, sockets_.prefix());
  config.memory_node = bytes(OptionIndex("memory.node"));
  config.disk_process = bytes(OptionIndex("disk.process"));
  config.disk_node = bytes(OptionIndex("disk.node"));
  config.disk_reserve = DiskReserve();
  recorder_ = Recorder::Start(config, error);
  if (recorder_ == nullptr) return false;
  StartStageLines();
  samples_.Start(job_.directory, node_, recorder_.get());
  return true;
}

void Recording::StartStageLines() {
  const auto a_second = static_cast<uint64_t>(OptionNumber(OptionIndex("stage.lines")));
  if (a_second == 0) return;
  std::vector<std::string> folders = {SpoolRoot(named_) + "/" + node_};
  if (spools_.directory() != folders[0]) folders.push_back(spools_.directory());
  stage_lines_ = std::make_unique<StageLines>(std::move(folders), own_rank_.rank, a_second);
}

void Recording::Enter(std::string* why) {
  JobOutcome outcome = EnterJob(DescribeJob());
  *why = outcome.error;
  if (!why->empty()) return;
  job_ = std::move(outcome.job);
  SayInfo(Text("recording into ", job_.directory));
  if (!outcome.elsewhere.empty() && job_.created) {
    SayError(Text(outcome.elsewhere, " This run is recorded into ",
                  ShellQuote(ShortPath(job_.directory)), "."));
  }
  if (!HoldPlace()) *why = Text(ShellQuote(named_), " has been renamed by another launcher.");
  if (!why->empty()) return;
  const std::string consumer = OptionText(OptionIndex("consumer"));
  std::string error;
  // Also where processes drain themselves: they tell of their start, and join.
  if (StartRecorder(&error)) return;
  if (consumer == "launcher") {
    *why = Text("--consumer launcher was given, but ", error, ".");
  } else if (consumer != "process") {
    drained_inside_ = error;
  }
}

void Recording::Abandon() {
  samples_.Abandon();
  recorder_.reset();
  if (job_.directory.empty()) return;
  mark_.Remove();
  spools_.Settle();
  Leave();
}

EnvRequest Recording::RankRequest() const {
  EnvRequest plan{request_.library, OptionVariables(request_.options), request_.preload,
                  request_.behind};
  for (EnvChange& log : CompileLogVariables(job_.directory, named_, node_, request_.inherited))
    plan.handed_down.push_back(std::move(log));
  const auto hand_down = [&](const char* name, const std::string& value) {
    plan.handed_down.push_back({name, value});
  };
  char output[64];
  OptionVariable(OptionIndex("output"), output);
  std::erase_if(plan.handed_down, [&](const EnvChange& change) { return change.name == output; });
  hand_down(output, named_);
  hand_down(VariableName(Variable::kJobKey), job_.key);
  hand_down(VariableName(Variable::kBaseTime), std::to_string(job_.base_time.ns));
  // For processes that drain themselves, also on other nodes: never a path of this node alone.
  hand_down(VariableName(Variable::kSpool), SpoolRoot(named_));
  if (const std::string cupti = FindCuptiFolder(request_.program_path); !cupti.empty())
    hand_down(VariableName(Variable::kCupti), cupti);
  if (recorder_ != nullptr) {
    hand_down(VariableName(Variable::kSocket), sockets_.prefix());
  } else if (*VariableText(Variable::kSocket) != '\0') {
    hand_down(VariableName(Variable::kSocket), "");
  }
  return plan;
}

int Recording::StartProgram(std::string* why) {
  const EnvRequest plan = RankRequest();
  EnvBlock environment = request_.inherited;
  for (const EnvChange& change : PlanEnvironment(plan, environment)) environment.Set(change);
  SpawnRequest spawn{request_.program_path, request_.arguments, {}};
  if (request_.mpi == MpiLauncher::kOpenMpi) {
    MpiEdit edit = ForwardThroughOpenMpi(spawn.arguments, plan, environment);
    for (const EnvChange& change : edit.changes) environment.Set(change);
    spawn.arguments = std::move(edit.arguments);
    SayInfo(Text("running ", ShellQuote(spawn.arguments)));
  }
  spawn.environment = environment.entries();
  spawn.die_with_us = OptionNumber(OptionIndex("die.with.launcher")) != 0;
  const int error = program_.Start(spawn);
  if (error == 0) {
    if (recorder_ != nullptr) recorder_->ChildStarted(program_.pid());
    if (!drained_inside_.empty())
      SayWarning(Text("processes drain their records themselves, because ", drained_inside_));
    return 0;
  }
  if (!program_.could_fork()) {
    *why = Text("cannot start a process beside the launcher: ", SetupErrorText(error), ".");
    return 0;
  }
  if (error == E2BIG) {
    *why = kTooLong;
    return 0;
  }
  SayError(Text("cannot run ", ShellQuote(request_.program_path), ": ", ErrorText(error), "."));
  return error == ENOENT ? kExitNotFound : kExitNotExecutable;
}

int Recording::WaitForProgram() {
  child_pid_ = program_.pid();
  child_status_ = program_.Wait([this]() -> uint64_t {
    const bool records = recorder_ != nullptr && recorder_->HasRecords();
    return records ? 0 : servers_.Look(child_pid_);
  });
  if (recorder_ != nullptr) recorder_->ChildEnded(child_pid_, child_status_);
  TellFirstFailure();
  return child_status_;
}

// At once: whoever ends the job for that may also end the launcher that would say the lines.
void Recording::TellFirstFailure() const {
  const bool killed = WIFSIGNALED(child_status_);
  const int signal = killed ? WTERMSIG(child_status_) : 0;
  // By these somebody else ends a program.
  const bool was_ended = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (child_status_ == 0 || was_ended || own_rank_.rank < 0 || own_rank_.world_size < 2 ||
      CreateExclusively(job_.directory + "/run/first-failure", Text(own_rank_.rank, "\n")) != 0)
    return;
  const ExitFacts exit{killed ? ExitKind::kSignaled : ExitKind::kExited,
                       killed ? signal : WEXITSTATUS(child_status_), "launcher"};
  Say(Text("rank ", own_rank_.rank, " was the first to fail: ", DescribeExit(exit),
           "; its trace comes into ", ShellQuote(ShortPath(job_.directory))));
}

// Looks for the spools of processes that drained themselves. Ranks of other nodes recover on their
// nodes at their exit, about now: they are waited for, but for those of other launchers of the job.
SpoolScan Recording::ScanSelfDrained(const RecordedRun& format) const {
  std::vector<std::string> known;
  for (const RecordedProcess& process : format.processes) {
    known.push_back(process.spool_path);
    known.push_back(process.rest_path);
  }
  for (int64_t waited = 0;; waited += kRecoveryStep.tv_nsec) {
    SpoolScan scan = ScanSpools(job_.directory, node_, known, true, DiskReserve());
    if (own_rank_.rank >= 0) {
      std::erase_if(scan.elsewhere, [this](const auto& spool) {
        SpoolFacts facts;
        return ReadSpoolFacts(spool.second, &facts).ok() && facts.rank != own_rank_.rank;
      });
    }
    if (scan.elsewhere.empty() || waited >= kRecoveryWaitNs) return scan;
    nanosleep(&kRecoveryStep, nullptr);
  }
}

bool Recording::HasTrace(int rank) const {
  return Exists(ManifestPath(job_.directory, Text("rank-", rank)));
}

// Forgets processes of which we know only that they started, where another node has written their
// rank's trace or still will.
void Recording::LeaveToOthers(const SpoolScan& scan, RecordedRun* format) const {
  std::set<int> theirs;
  for (const auto& [host, path] : scan.elsewhere) {
    SpoolFacts facts;
    if (ReadSpoolFacts(path, &facts).ok()) theirs.insert(facts.rank);
  }
  std::erase_if(format->processes, [&](const RecordedProcess& process) {
    if (!process.spool_path.empty() || process.note == nullptr) return false;
    const int rank = process.note->facts.rank.rank;
    return theirs.contains(rank) || HasTrace(rank);
  });
}

// Records of processes that drained themselves: ours to write if no other launcher of the job does
// it.
void Recording::AddSelfDrained(RecordedRun* format) const {
  SpoolScan scan = ScanSelfDrained(*format);
  if (!scan.elsewhere.empty()) SayWarning(DescribeElsewhere(scan, NameOfHeld(job_.directory)));
  LeaveToOthers(scan, format);
  for (const std::string& problem : scan.problems) SayWarning(problem);
  for (FoundSpool& spool : scan.spools) {
    const bool of_own_rank =
        own_rank_.rank < 0 || (spool.problem.empty() && spool.facts.rank == own_rank_.rank);
    if (of_own_rank && !HasTrace(spool.facts.rank)) format->spools.push_back(std::move(spool));
  }
}

// Processes of ours that began to record when the sockets were closed already. Their spools are in
// nobody's trace yet.
void Recording::FindLate(const RecordedRun& format, RunSummary* summary) const {
  if (recorder_ == nullptr || std::string(OptionText(OptionIndex("consumer"))) == "process") return;
  std::set<std::string> known;
  for (const RecordedProcess& process : format.processes) {
    known.insert(process.spool_path);
    known.insert(process.rest_path);
  }
  for (const FoundSpool& spool : format.spools) known.insert(spool.path);
  SpoolScan scan = ScanSpools(job_.directory, node_, {}, true, DiskReserve());
  // The first of a rank claims to recover it at its exit, which it cannot while we are at work.
  for (const auto& [host, path] : scan.elsewhere) {
    FoundSpool spool{path, {}, "", false};
    if (host == node_ && ReadSpoolFacts(path, &spool.facts).ok()) scan.spools.push_back(spool);
  }
  for (const FoundSpool& spool : scan.spools) {
    const bool of_own_rank = own_rank_.rank < 0 || spool.facts.rank == own_rank_.rank;
    if (of_own_rank && spool.facts.host == node_ && !known.contains(spool.path))
      summary->late.push_back(Text(spool.facts.name, " (pid ", spool.facts.pid, ")"));
  }
}

// What the summary says of LD_PRELOAD; "": nothing.
std::string Recording::PreloadWords() const {
  if (request_.preload.empty()) return kNoPreloadMisses;
  const char* users = request_.inherited.Find("LD_PRELOAD");
  const bool has_own =
      users != nullptr && *users != '\0' && PreloadedLibrary(request_.inherited).empty();
  return has_own && child_status_ != 0 ? kPreloadIsAList : "";
}

// Takes back what Enter has made, where it is now.
std::string Recording::Leave() const {
  Job job = job_;
  job.directory = NameOfHeld(job_.directory);
  if (job.directory != named_) job.was_there = job.directory.substr(0, job.directory.rfind('/'));
  return HoldsJob(job) ? LeaveJob(job, own_rank_.rank) : "";
}

// After a run of which there is nothing to write. Returns why its directory stays; "": it is gone.
std::string Recording::LeaveEmptyRun() const {
  std::vector<std::string> living = LivingProcesses(named_);
  for (int moment = 0; !living.empty() && moment < kLastMoments; ++moment) {
    nanosleep(&kLastMoment, nullptr);  // some end a little later than the program
    living = LivingProcesses(named_);
  }
  // The place of a rank stays taken: its next command is the next job.
  if (own_rank_.rank >= 0) return "other ranks of the job may record into it";
  if (living.empty()) return Leave();
  return Text(JoinNames(living), living.size() == 1 ? " still runs" : " still run",
              " and may record; `syncline recover ", ShellQuote(ShortPath(job_.directory)),
              "` then writes the traces");
}

// Processes whose spools are gone: those that had ended before. They are shown without records.
size_t ForgetGoneSpools(std::vector<RecordedProcess>* processes) {
  size_t gone = 0;
  for (RecordedProcess& process : *processes) {
    if (process.spool_path.empty() || Exists(process.spool_path)) continue;
    process.spool_path.clear();
    ++gone;
  }
  std::erase_if(*processes, [](const RecordedProcess& process) {
    return process.spool_path.empty() && process.note == nullptr;
  });
  return gone;
}

// Where somebody has removed the run's directory, or what was in it, it is made again, or another
// one. What stood in files that are gone is lost; spools that were open are not.
void Recording::MoveOnIfRemoved(std::vector<RecordedProcess>* processes) {
  const size_t gone = ForgetGoneSpools(processes);
  if (HoldsJob(job_)) {
    if (gone != 0)
      SayError(Text("run/spool in ", ShellQuote(ShortPath(NameOfHeld(job_.directory))),
                    " was removed while the program ran: all that ", Counted(gone, "process"),
                    " had recorded is lost with it."));
    return;
  }
  JobRequest request = DescribeJob();
  request.output = named_;
  request.force = false;  // what stands there by now is not the run that was to be replaced
  request.key = job_.key;
  request.inherited_base_ns = static_cast<int64_t>(job_.base_time.ns);
  JobOutcome outcome = EnterJob(request);
  if (!outcome.error.empty()) return SayError(outcome.error);
  for (RecordedProcess& process : *processes) {
    // By name: the descriptor leads elsewhere from now on.
    process.spool_path = NameOfHeld(process.spool_path);
    process.rest_path = NameOfHeld(process.rest_path);
  }
  job_.directory = HoldDirectory(outcome.job.directory);
  mark_.Remove();
  mark_.Make(job_.directory, node_, sockets_.prefix());
  spools_.MoveTo(job_.directory, node_);
  std::string lost;
  if (gone != 0)
    lost = Text("all that ", Counted(gone, "process"), " had recorded is lost with it, ");
  if (gone == 0 && own_rank_.world_size > 1)
    lost = "what other ranks had written is lost with it, ";
  SayError(Text(ShellQuote(ShortPath(named_)), lost.empty() ? " or its run/job.json" : "",
                " was removed while the program ran: ", lost, "the rest comes into ",
                ShellQuote(ShortPath(job_.directory)), "."));
}

void Recording::Finish() {
  const std::string now = NameOfHeld(job_.directory);
  if (now != named_ && HoldsJob(job_)) {
    SayWarning(Text(ShellQuote(ShortPath(named_)), " was renamed while the program ran: this run ",
                    "is in ", ShellQuote(ShortPath(now)), "."));
  }
  RecordedRun format;
  format.node = node_;
  format.own_rank = own_rank_;
  format.child_pid = child_pid_;
  format.child_status = child_status_;
  // Launchers of one node use one anchor: the ranks' times then agree to the last digit.
  format.load = load_.Until();
  format.anchor = job_.node == node_ ? job_.first_anchor : anchor_;
  if (std::string(OptionText(OptionIndex("time.unit"))) == "us") format.unit = TimeUnit::kUs;
  format.looked_for =
      LookedFor{OptionText(OptionIndex("collect")), IsGiven(OptionIndex("collect"))};
  format.looked_for->processes = OptionText(OptionIndex("processes"));
  format.looked_for->skip = OptionText(OptionIndex("skip"));
  format.looked_for->presets = PresetFunctions(OptionText(OptionIndex("preset")));
  format.looked_for->preload = PreloadWords();
  format.looked_for->servers = servers_.names();
  samples_.Finish(&format);
  if (recorder_ != nullptr) {
    RecorderResult result = recorder_->Finish();
    for (const std::string& refusal : result.refusals) SayWarning(refusal);
    format.looked_for->refused = !result.refusals.empty();
    format.looked_for->left_out = result.left_out;
    format.lost_programs = std::move(result.lost_programs);
    if (own_rank_.rank < 0) DropLaunched(&format.lost_programs);
    format.looked_for->lost_programs = LostProgramLine(format.lost_programs);
    format.silent_left_out = std::move(result.silent_left_out);
    format.processes = std::move(result.processes);
  }
  MoveOnIfRemoved(&format.processes);
  format.job = job_;
  AddSelfDrained(&format);
  if (stage_lines_ != nullptr) stage_lines_->Finish();
  std::vector<RankGroup> groups = GroupByRank(format);
  const std::set<int> left_out = TakeLeftOutRanks(own_rank_, &groups);
  format.looked_for->ranks_left_out = left_out.size();
  // Where nobody records, nobody looks for marks: nothing stays.
  if (own_rank_.rank >= 0 || !groups.empty()) MarkLeftOut(job_.directory, left_out);
  RunSummary summary;
  const bool finished = WorkInForeground(
      [&](WorkProgress* progress) { summary = WriteRun(format, groups, progress); },
      "writing traces",
      Text("interrupted: the records are kept. Write the traces with `syncline recover ",
           ShellQuote(ShortPath(job_.directory)), "`."));
  if (finished) FindLate(format, &summary);
  format.marked = mark_.held();
  mark_.Remove();  // others may see now that they are the last
  spools_.Settle();
  if (finished && groups.empty() && summary.running.empty() && summary.late.empty())
    format.looked_for->stays = LeaveEmptyRun();
  if (finished) SayClosingLines(format, summary);
  const auto split = static_cast<SplitBy>(OptionNumber(OptionIndex("split")));
  if (finished && split != SplitBy::kNone && !summary.written.empty())
    Say(SplitTraces(job_.directory, summary.written, split));
}

}  // namespace

std::vector<EnvChange> OptionVariables(const std::vector<GivenOption>& options) {
  std::vector<EnvChange> variables;
  for (const GivenOption& option : options) {
    if (option.index == OptionIndex("force")) continue;
    char name[64];
    OptionVariable(option.index, name);
    std::string text = option.text;
    if (option.index == OptionIndex("output")) text = AbsolutePath(text);
    variables.push_back({name, text});
  }
  return variables;
}

SpawnRequest Unrecorded(const RecordRequest& request) {
  return {request.program_path, request.arguments, request.inherited.entries()};
}

int RecordProgram(const RecordRequest& request) {
  const InheritedState inherited;
  std::unique_ptr<Recording> recording;
  std::string why;
  int failure = 0;
  try {
    recording = std::make_unique<Recording>(request, inherited);
    recording->Enter(&why);
    if (why.empty()) failure = recording->StartProgram(&why);
  } catch (const std::system_error& error) {  // of std::thread
    why = Text("the launcher cannot start a thread: ", SetupErrorText(error.code().value()), ".");
  } catch (const std::exception& error) {
    why = Text("internal error: ", error.what(), ". Please report it.");
  }
  if (failure != 0) return failure;
  if (recording == nullptr || !recording->HasProgram()) {
    if (recording != nullptr) recording->Abandon();
    recording.reset();
    return RunUnrecorded(Unrecorded(request), why, &inherited);
  }
  const int wait_status = recording->WaitForProgram();
  try {
    recording->Finish();
  } catch (const std::exception& error) {  // the program's status is not ours to lose
    SayError(Text("internal error: ", error.what(),
                  ". The records are kept: `syncline recover DIR` with the directory named above "
                  "writes the traces."));
  }
  recording.reset();
  LeaveLike(wait_status);
}

}  // namespace syncline
