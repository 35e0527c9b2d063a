// SPDX-License-Identifier: Apache-2.0
// One recorded run: directory, recorder, environment, program, traces, last lines.
#include "launcher/record.h"

#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <set>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/files.h"
#include "launcher/foreground.h"
#include "launcher/format_run.h"
#include "launcher/job.h"
#include "launcher/job_name.h"
#include "launcher/node_places.h"
#include "launcher/program.h"
#include "launcher/recorder.h"
#include "launcher/run_report.h"
#include "launcher/say.h"
#include "launcher/spawn.h"
#include "launcher/text.h"

namespace syncline {
namespace {

constexpr int64_t kRecoveryWaitNs = 3'000'000'000;
constexpr timespec kRecoveryStep = {0, 50'000'000};
constexpr int64_t kDrainTimeoutNs = 10'000'000'000;

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

// One run, in the order of its members' lives: sockets and spools go away after the recorder.
class Recording {
 public:
  explicit Recording(const RecordRequest& request)
      : request_(request), own_rank_(FindRank(Environment)) {
    char node[64];
    FindNodeName(Environment, node, sizeof(node));
    node_ = node;
  }

  // 0, or the exit status of our failure.
  int Enter();
  // 0 and *wait_status, or the exit status if the program could not be run.
  int RunProgram(int* wait_status);
  void Finish();

 private:
  JobRequest DescribeJob() const;
  bool StartRecorder(std::string* error);
  EnvRequest PlanRequest() const;
  SpoolScan ScanSelfDrained(const FormatRequest& format) const;
  bool HasTrace(int rank) const;
  void LeaveToOthers(const SpoolScan& scan, FormatRequest* format) const;
  void AddSelfDrained(FormatRequest* format) const;
  void FindLate(const FormatRequest& format, FormatSummary* summary) const;
  bool Speaks() const { return own_rank_.rank <= 0; }

  const RecordRequest& request_;
  RankFacts own_rank_;
  std::string node_;
  Job job_;
  InheritedSignals signals_;
  SocketPlace sockets_;
  SpoolPlace spools_;
  LauncherMark mark_;
  Anchor anchor_ = TakeAnchor(NodeClock());
  std::unique_ptr<Recorder> recorder_;
  Program program_{signals_};
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

bool Recording::StartRecorder(std::string* error) {
  const auto bytes = [](size_t index) { return static_cast<uint64_t>(OptionNumber(index)); };
  if (!sockets_.Make(error) ||
      !spools_.Make(job_.directory, node_, IsNetworkFileSystem(job_.directory), error))
    return false;
  RecorderConfig config{};
  config.spool_directory = spools_.directory();
  config.socket_prefix = sockets_.prefix();
  mark_.Make(job_.directory, node_, sockets_.prefix());
  config.memory_node = bytes(OptionIndex("memory.node"));
  config.disk_process = bytes(OptionIndex("disk.process"));
  config.disk_node = bytes(OptionIndex("disk.node"));
  config.disk_reserve = bytes(OptionIndex("disk.reserve"));
  recorder_ = Recorder::Start(config, error);
  return recorder_ != nullptr;
}

int Recording::Enter() {
  JobOutcome outcome = EnterJob(DescribeJob());
  if (!outcome.error.empty()) {
    SayError(outcome.error);
    return kExitOurFailure;
  }
  job_ = std::move(outcome.job);
  SayInfo(Text("recording into ", job_.directory));
  const std::string consumer = OptionText(OptionIndex("consumer"));
  std::string error;
  if (StartRecorder(&error))
    return 0;  // also where processes drain themselves: they tell of their start, and join
  if (consumer == "process") return 0;
  if (consumer == "launcher") {
    SayError(error);
    return kExitOurFailure;
  }
  SayWarning(Text("processes drain their records themselves, because ", error));
  return 0;
}

EnvRequest Recording::PlanRequest() const {
  EnvRequest plan{request_.library, OptionVariables(request_.options)};
  const auto hand_down = [&](const char* name, const std::string& value) {
    plan.handed_down.push_back({name, value});
  };
  char output[64];
  OptionVariable(OptionIndex("output"), output);
  std::erase_if(plan.handed_down, [&](const EnvChange& change) { return change.name == output; });
  hand_down(output, job_.directory);
  hand_down(VariableName(Variable::kJobKey), job_.key);
  hand_down(VariableName(Variable::kBaseTime), std::to_string(job_.base_time.ns));
  // For processes that drain themselves, also on other nodes: never a path of this node alone.
  hand_down(VariableName(Variable::kSpool), SpoolRoot(job_.directory));
  if (recorder_ != nullptr) {
    hand_down(VariableName(Variable::kSocket), sockets_.prefix());
  } else if (*VariableText(Variable::kSocket) != '\0') {
    hand_down(VariableName(Variable::kSocket), "");
  }
  return plan;
}

int Recording::RunProgram(int* wait_status) {
  const EnvRequest plan = PlanRequest();
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
  if (const int error = program_.Start(spawn); error != 0) {
    SayError(Text("cannot run ", ShellQuote(request_.program_path), ": ", ErrorText(error), "."));
    return error == ENOENT ? kExitNotFound : kExitNotExecutable;
  }
  const int pid = program_.pid();
  if (recorder_ != nullptr) recorder_->ChildStarted(pid);
  *wait_status = program_.Wait();
  if (recorder_ != nullptr) recorder_->ChildEnded(pid, *wait_status);
  child_pid_ = pid;
  child_status_ = *wait_status;
  return 0;
}

// Looks for the spools of processes that drained themselves. Ranks of other nodes recover on their
// nodes at their exit, about now: they are waited for.
SpoolScan Recording::ScanSelfDrained(const FormatRequest& format) const {
  std::vector<std::string> known;
  for (const RecordedProcess& process : format.processes) known.push_back(process.spool_path);
  SpoolScan scan = ScanSpools(job_.directory, node_, known, true);
  for (int64_t waited = 0; !scan.elsewhere.empty() && waited < kRecoveryWaitNs;
       waited += kRecoveryStep.tv_nsec) {
    nanosleep(&kRecoveryStep, nullptr);
    scan = ScanSpools(job_.directory, node_, known, true);
  }
  return scan;
}

bool Recording::HasTrace(int rank) const {
  return Exists(ManifestPath(job_.directory, Text("rank-", rank)));
}

// Forgets processes of which we know only that they started, where another node has written their
// rank's trace or still will.
void Recording::LeaveToOthers(const SpoolScan& scan, FormatRequest* format) const {
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
void Recording::AddSelfDrained(FormatRequest* format) const {
  SpoolScan scan = ScanSelfDrained(*format);
  if (!scan.elsewhere.empty()) SayWarning(DescribeElsewhere(scan, job_.directory));
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
void Recording::FindLate(const FormatRequest& format, FormatSummary* summary) const {
  if (recorder_ == nullptr || std::string(OptionText(OptionIndex("consumer"))) == "process") return;
  std::set<std::string> known;
  for (const RecordedProcess& process : format.processes) known.insert(process.spool_path);
  for (const FoundSpool& spool : format.spools) known.insert(spool.path);
  SpoolScan scan = ScanSpools(job_.directory, node_, {}, true);
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

void Recording::Finish() {
  FormatRequest format;
  format.job = job_;
  format.node = node_;
  format.own_rank = own_rank_;
  format.child_pid = child_pid_;
  format.child_status = child_status_;
  // Launchers of one node use one anchor: the ranks' times then agree to the last digit.
  format.anchor = job_.node == node_ ? job_.first_anchor : anchor_;
  if (std::string(OptionText(OptionIndex("time.unit"))) == "us") format.unit = TimeUnit::kUs;
  if (recorder_ != nullptr) {
    RecorderResult result = recorder_->Finish(kDrainTimeoutNs);
    for (const std::string& refusal : result.refusals) SayWarning(refusal);
    format.refused = !result.refusals.empty();
    format.silent_left_out = std::move(result.silent_left_out);
    format.processes = std::move(result.processes);
  }
  AddSelfDrained(&format);
  const std::vector<RankGroup> groups = GroupByRank(format);
  FormatSummary summary;
  const bool finished = WorkInForeground(
      [&](WorkProgress* progress) { summary = FormatRun(format, groups, progress); },
      "writing traces",
      Text("interrupted: the records are kept. Write the traces with `syncline recover ",
           ShellQuote(ShortPath(job_.directory)), "`."));
  if (finished) FindLate(format, &summary);
  spools_.Settle();
  if (finished) ReportRun(format, summary, Speaks());
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

int RecordProgram(const RecordRequest& request) {
  int wait_status = 0;
  {
    Recording recording(request);
    if (const int failure = recording.Enter(); failure != 0) return failure;
    if (const int failure = recording.RunProgram(&wait_status); failure != 0) return failure;
    try {
      recording.Finish();
    } catch (const std::exception& error) {  // the program's status is not ours to lose
      SayError(
          Text("internal error: ", error.what(), ". The records are kept: `syncline recover`."));
    }
  }
  LeaveLike(wait_status);
}

}  // namespace syncline
