// SPDX-License-Identifier: Apache-2.0
// What is kept of a run beside its traces: sums by name, and a part for each rank. Those of single
// ranks are merged into those of the job, in any order with one result.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/findings/call_findings.h"
#include "model/findings/collective.h"
#include "model/findings/findings.h"
#include "model/findings/host_load.h"
#include "model/findings/host_work.h"
#include "model/findings/kernel_fill.h"
#include "model/findings/kernels_of_stages.h"
#include "model/findings/memory_facts.h"
#include "model/findings/module_sums.h"
#include "model/findings/name_keys.h"
#include "model/findings/operator_sums.h"
#include "model/findings/price_sums.h"
#include "model/findings/recording_cost.h"
#include "model/findings/sketch.h"
#include "model/findings/step_parts.h"
#include "model/findings/time_shares.h"

namespace syncline {

// Times are nanoseconds; moments are since 1970 on the job's line.
struct DurationSums {
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t min_ns = UINT64_MAX;
  uint64_t max_ns = 0;
  Sketch sketch;
  StepParts in_steps{};  // of ranges, kernels, copies, waits and gaps

  void Add(uint64_t ns);
  void Add(const DurationSums& other);
  // As the sketch says, and never beyond the shortest and the longest.
  uint64_t Quantile(double share) const;
  bool operator==(const DurationSums&) const = default;
};

struct CopySums {
  DurationSums durations;
  uint64_t bytes = 0;

  void Add(const CopySums& other);
  bool operator==(const CopySums&) const = default;
};

// What was done for the ranges of one name, on the host and on devices.
struct StageWork {
  uint64_t blocked_ns = 0;   // threads waited for devices in them
  uint64_t launched = 0;     // operations that were submitted in them
  uint64_t device_ns = 0;    // how long those ran, added up
  uint64_t busy_ns = 0;      // while they were open, devices of the process were busy ...
  uint64_t busy_of_ns = 0;   // ... of so much time of these devices
  uint64_t memory_peak = 0;  // bytes taken from devices while one was open
  // Of frameworks' allocators while one was open: given out, and held; 0: none told.
  uint64_t allocated_peak = 0;
  uint64_t held_peak = 0;

  void Add(const StageWork& other);
  void AddGiven(const StageWork& other);  // the thread's part: not what was while they were open
  bool operator==(const StageWork&) const = default;
};

// How long threads were in ranges of one name, and in no range within those.
struct OwnTime {
  uint64_t count = 0;
  double sum_ns = 0;
  double squares = 0;  // of nanoseconds

  void Add(uint64_t ns);
  void Add(const OwnTime& other);
  uint64_t DeviationNs() const;  // of one range from their mean
  bool operator==(const OwnTime&) const = default;
};

// Operations before which their device had nothing to do, and which were submitted only then.
struct StarvedSums {
  uint64_t count = 0;
  uint64_t idle_ns = 0;

  void Add(const StarvedSums& other);
  bool operator==(const StarvedSums&) const = default;
};

struct WaitKey {
  std::string source;
  WaitClass wait_class = WaitClass::kDevice;
  std::string call;
  std::string ranges;  // "step # > log"; empty: outside of all
  std::string where;   // "train.py:42 step()": of the user's code; empty: unknown
  std::string program{};
  auto operator<=>(const WaitKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct WaitSums {
  DurationSums blocked;
  uint64_t idle_after_ns = 0;  // of the device, until its next operation
  uint64_t needless = 0;       // waits: what they waited for was done already
  uint64_t needless_ns = 0;    // of the blocked time
  uint64_t unknown = 0;        // waits of which it is not known whether they were needless
  std::string statement{};     // the source text of the line; empty: not known

  void Add(const WaitSums& other);
  bool operator==(const WaitSums&) const = default;
};

// What the threads waited at one line of the user's code: of a WaitKey with `where`.
struct LineWaits {
  WaitKey what;
  uint64_t count = 0;
  uint64_t blocked_ns = 0;
  uint64_t idle_after_ns = 0;  // of the device, until its next operation
};
inline constexpr size_t kCostliestLines = 100;
// WaitKey::where of lines beyond those that are kept.
inline constexpr char kOtherLines[] = "(other lines)";

// A single one of the longest.
struct LongWait {
  uint64_t blocked_ns = 0;
  std::string rank;  // name of its trace
  uint64_t begin_ns = 0;
  int32_t pid = 0;
  uint32_t tid = 0;
  WaitKey what;
  auto operator<=>(const LongWait&) const = default;  // NOLINT(modernize-use-nullptr)
};
inline constexpr size_t kLongestWaits = 100;

struct GapKey {
  std::string source;
  GapCause cause = GapCause::kHostBusy;
  std::string call;    // for which the host waited; or kernel of another device
  std::string ranges;  // where the thread was that submitted next
  LinesBetween lines;  // around what kept the host busy
  std::string program{};
  auto operator<=>(const GapKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What a device did for one process, or for several of a rank that used it at one time: time within
// which at least one such operation ran.
struct DeviceUse {
  int32_t pid = 0;         // of the first of them
  uint64_t processes = 1;  // how many
  std::string source;
  uint32_t device = 0;
  std::string name;
  std::string uuid;       // as IdOfDevice; empty: unknown
  uint64_t begin_ns = 0;  // of the first operation
  uint64_t end_ns = 0;    // of the last
  uint64_t operations = 0;
  uint64_t busy_ns = 0;                 // anything
  uint64_t computing_ns = 0;            // kernels that do not communicate, graphs, sets
  uint64_t beside_ns = 0;               // ... while another device of the rank computed, too
  uint64_t communicating_ns = 0;        // kernels of NCCL
  uint64_t communicating_alone_ns = 0;  // ... while nothing computed
  uint64_t copying_ns = 0;
  uint64_t copying_alone_ns = 0;  // ... while no kernel, graph or set ran
  uint64_t memory_peak_bytes = 0;
  uint64_t memory_peak_at_ns = 0;
  uint64_t kernels_ns = 0;  // kernels and graphs that do not communicate: HTA's compute time
  uint64_t gaps_ns[kGapCauses] = {};  // of the idle time, by cause: gaps that are long enough
  DurationSums launch_delay;          // from the begin of the call to that of its first operation
  uint64_t queued_ns = 0;             // all operations' time from submission to begin, added up

  // Of the time when nothing ran: nothing was recorded either (--stages, --steps ...).
  uint64_t unseen_ns = 0;
  // Also of that time: others worked, or the next work was theirs. So what all of them call idle
  // adds up to what the device was.
  uint64_t others_ns = 0;
  uint64_t other_ranks = 0;  // of so many, which used it at the same time, others_ns knows
  uint64_t SeenNs() const { return end_ns - begin_ns - unseen_ns; }
  uint64_t IdleNs() const { return SeenNs() - busy_ns - others_ns; }
  bool operator==(const DeviceUse&) const = default;
};

// One occurrence of a range whose name says that it is a step.
struct Step {
  uint64_t begin_ns = 0;     // when the one before it was over, and its thread had begun it
  uint64_t duration_ns = 0;  // until its thread has begun the next one, and devices have done it
  uint64_t number = 0;       // as its name says, else counted from 0
  auto operator<=>(const Step&) const = default;  // NOLINT(modernize-use-nullptr)
};
// What the time of the process's devices went by with in a step that took much longer than others;
// where it has none, what its thread did.
struct LongStep {
  uint64_t begin_ns = 0;  // of that step
  TimeShares shares;
  std::string name{};  // as the program wrote it; empty: LabelOfStep says it
  // Of what it has most of beyond other steps: the line of the program, and the call or kernel;
  // empty: not known, or none in particular.
  std::string where{};
  std::string what{};
  // Of a process without devices: the innermost range that took longer, empty: none in particular;
  // and how much longer the call took (`what`), or that range, or neither. 0: it was not looked
  // for.
  std::string range{};
  uint64_t more_ns = 0;
  bool operator==(const LongStep&) const = default;
};
inline constexpr size_t kMostLongSteps = 8;

// What was submitted while the host was in the steps, from the first steady one on. Of a process
// the kMostCountedKinds kinds of steps have it of which there are most.
inline constexpr size_t kMostCountedKinds = 8;
struct StepOps {
  uint64_t steps = 0;  // 0: not known
  uint64_t kernels = 0;
  uint64_t copies = 0;  // in any direction
  uint64_t from_host_bytes = 0;
  uint64_t to_host_bytes = 0;

  void Add(const StepOps& other);
  bool operator==(const StepOps&) const = default;
};
inline constexpr size_t kMostStepsOfProcess = 100000;
struct StepSeries {
  int32_t pid = 0;
  std::string name;  // "train_step #"
  std::vector<Step> steps;
  // From the first steady step to the end of the last one; all 0: the process has no devices.
  TimeShares shares{};
  std::vector<LongStep> longest{};  // outliers, at most kMostLongSteps, longest first
  std::string program{};            // of the process
  StepWork work{};
  uint64_t counted = 0;  // of the steps: StepParts are of so many, the steady ones; 0: not known
  StepOps ops{};
  // Of frameworks' allocators, by step: most that they had given out, and held; empty: none told.
  std::vector<uint64_t> allocated_peaks{};
  std::vector<uint64_t> held_peaks{};
  bool operator==(const StepSeries&) const = default;
};

// Of an even number the lower one in the middle; 0: there are none.
uint64_t MedianNs(const std::vector<Step>& steps);
// What a step of `duration_ns` has most of beyond one that takes `median_ns`; `all`: of all steps.
std::optional<MoreTime> LongerBy(const TimeShares& step, uint64_t duration_ns,
                                 const TimeShares& all, uint64_t median_ns);
// In `steps`: those that take longer than twice the median.
std::vector<size_t> StepOutliers(const std::vector<Step>& steps);
// The step of a LongStep, in sorted `steps`: of those that begin there the longest, as one without
// work is over when it begins. Null: none begins there.
const Step* LongStepAt(const std::vector<Step>& steps, uint64_t begin_ns);

// Where a program has done what it does once: behind the first ones that take more than twice as
// long as half of all, and not beyond half of them. Null: fewer than two steps. `steps` by begin.
const Step* FirstSteadyStep(const std::vector<Step>& steps);

// What was compiled while one step of a process ran.
struct CompileStep {
  int32_t pid = 0;
  std::string steps;    // StepSeries::name; empty: these are those outside of all steps
  uint64_t number = 0;  // as in Step, as are these two
  uint64_t begin_ns = 0;
  uint64_t duration_ns = 0;
  uint64_t compile_ns = 0;  // of the duration: at least one compilation ran
  uint64_t count = 0;       // of compilations
  uint64_t again = 0;       // of these
  std::string what;         // the longest: "train.py:12 forward(), compiled again"
  std::string why;          // of that one
  bool operator==(const CompileStep&) const = default;
};
inline constexpr size_t kMostCompileSteps = 1000;

// In how many graphs of all ranks, and in which.
struct CompiledSums {
  static constexpr size_t kMostGraphs = 16;
  uint64_t count = 0;
  std::vector<std::string> graphs;  // sorted; of more than the most the first ones

  void Add(const std::string& graph);
  void Add(const CompiledSums& other);
  bool operator==(const CompiledSums&) const = default;
};

struct CoverageFact {
  std::string source;  // empty: the process has no other
  std::string recorded;
  std::string why;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool operator==(const CoverageFact&) const = default;
};

// How long a rank was in ranges of one name, and its devices with what was submitted there.
// What is among stages though it is no range: it lies between ranges of a framework.
inline constexpr char kTrainingForward[] = "training forward";

struct StageTime {
  RangeKey key;
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t device_ns = 0;
  uint64_t own_ns = 0;  // of the total: in no range within; of start/end ranges as OwnTimes says
  uint64_t own_deviation_ns = 0;
  uint64_t blocked_ns = 0;  // of the total: threads waited for devices
  bool operator==(const StageTime&) const = default;
};
inline constexpr size_t kMostStagesOfRank = 64;

// A process that a signal ended, or that says by its status that it failed, and where it was then.
// How a process ended whose status nobody knows: it may have ended well.
inline constexpr char kUnknownEnding[] = "ended without an exit";

struct ProcessEnding {
  int32_t pid = 0;
  std::string program;
  std::string how;  // "killed by signal 9 (KILL)", "exited with status 3", kUnknownEnding
  uint64_t at_ns = 0;
  uint64_t silent_ns = 0;      // since the last record of a thread
  std::string ranges;          // open on one thread: "epoch > step 3"; empty: none was
  std::string call;            // open on that thread; empty: none was
  std::string where;           // its line; empty: not known
  uint64_t open_ns = 0;        // for how long the call, else the innermost range
  uint64_t other_threads = 0;  // on which something was open, too
  bool operator==(const ProcessEnding&) const = default;
};

struct RankPart {
  int32_t rank = -1;  // -1: none
  int32_t world_size = -1;
  // False: the rank's analysis is done, and its trace is not: sums of ranges, kernels, waits and
  // gaps are still to come.
  bool complete = false;
  std::string job;  // its key, which all ranks of a job share; empty: not known
  std::string host;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t analysed_until_ns = 0;  // what came later had no room: no waits, gaps, gains; 0: all had
  uint64_t clock_error_ns = 0;
  uint64_t processes = 0;
  uint64_t ranges = 0;
  uint64_t marks = 0;
  uint64_t calls = 0;
  uint64_t device_ops = 0;
  std::map<std::string, uint64_t> losses;
  std::vector<std::string> missing;   // what was not looked for, and why
  std::vector<std::string> problems;  // of its records, in sentences: damage, what was left out
  std::vector<std::string> limits;    // options by which only a part was recorded: "--steps 5:8"
  std::vector<CoverageFact> coverage;
  std::vector<ProcessEnding> endings;
  std::vector<DeviceUse> devices;
  std::vector<std::string> idle_devices;  // uuids of those that it saw and gave no work
  std::vector<StepSeries> steps;
  std::vector<AllocatorUse> allocators;    // of frameworks, where they told of blocks
  std::vector<CompileStep> compile_steps;  // what took longest first, at most kMostCompileSteps
  uint64_t steps_left_out = 0;
  TimeShares shares;  // of its devices, from a process's first to its last operation
  ByFormat flops{};   // that its devices computed, of operators
  ReplayFacts replay;
  std::vector<RecordingCost> recording_costs;  // of processes of which it is known
  HostLoad load;                               // of its launcher's machine
  // What changes bring together, by the set of their RankGain::joint: of those that bring most, in
  // the process in which they do; empty: none brings much.
  std::vector<uint64_t> joint_ns;
  std::vector<StageTime> stages;   // the longest of the rank, longest first
  std::set<std::string> programs;  // that were in these; NamePrograms fills it in, no file has it
  uint64_t between_ranges_ns = 0;  // the thread with most of them was in none, from first to last
  // Whether the slices of the trace say how the rank met the others.
  bool collectives_in_trace = false;
  RankCollectives collectives;
};

// Who waited for whom in sends and receives.
struct MessageKey {
  int rank = -1;       // that waited
  int other = -1;      // for this one's kernel to begin
  bool sends = false;  // it waited with a send, for a receive; else with a receive, for a send
  std::string ranges;  // "step # > forward", where it asked for that
  auto operator<=>(const MessageKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct MessageSums {
  uint64_t met = 0;     // messages
  uint64_t waited = 0;  // of these: it waited
  uint64_t waited_ns = 0;
  uint64_t longest_ns = 0;
};

// Collectives of a framework's operators, of one kind, all ranks' together.
struct CollectiveKey {
  std::string group;  // its name
  CollectiveOperation operation;
  auto operator<=>(const CollectiveKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What was waited for one rank that came last.
struct LateSums {
  uint64_t times = 0;
  uint64_t waited_ns = 0;
};

struct CollectiveSums {
  uint64_t ranks = 0;  // of the group; 0: not known
  uint64_t count = 0;  // collectives
  uint64_t bytes = 0;  // of one rank, all of them
  uint64_t met = 0;    // of these: it is known when each rank came
  uint64_t waited_ns = 0;
  uint64_t longest_ns = 0;
  std::map<int, LateSums> late;  // by the rank that came last
};

// How the ranks met each other in collectives.
struct RankMeetings {
  std::map<int, CollectiveFacts> ranks;
  std::map<int, LeftOutCounts> left_out;  // by rank: kernels of which nothing is said
  std::map<MessageKey, MessageSums> messages;
  std::map<CollectiveKey, CollectiveSums> collectives;
  // By rank: so long it waited in sends and receives. One kernel may pass several messages.
  std::map<int, uint64_t> bubbles_ns;
  uint64_t clock_error_ns = 0;   // of a comparison of two machines' clocks; 0: of one machine
  uint64_t clock_offset_ns = 0;  // the largest between two machines' clocks
};

// Of the ranges that bear one value of a label.
struct LabelSums {
  DurationSums durations;
  StageWork work;

  void Add(const LabelSums& other);
  bool operator==(const LabelSums&) const = default;
};

struct RunFindings {
  std::map<std::string, RankPart> ranks;  // by the name of the trace: "rank-3", "launcher"
  std::map<RangeKey, DurationSums> ranges;
  std::map<RangeKey, OperatorSums> operators;             // of a framework; not among `ranges`
  std::map<OperatorGroup, OperatorSums> operator_shapes;  // where inputs were recorded
  std::map<OperatorGroup, OperatorSums> operator_lines;   // where stacks were
  std::map<CompileKey, DurationSums> compilations;
  std::map<CompiledKey, CompiledSums> compiled;
  std::map<RangeKey, ModuleSums> modules;  // by their path; neither
  std::map<OpKey, DurationSums> kernels;
  std::map<OpKey, CopySums> copies;  // and sets
  std::map<WaitKey, WaitSums> waits;
  std::vector<LongWait> longest_waits;  // longest first, at most kLongestWaits
  std::map<GapKey, DurationSums> gaps;
  std::map<HostWorkKey, HostWorkSums> host_work;  // of their parts that are kHostBusy; if sampled
  std::map<RangeKey, StageWork> stages;           // of the same ranges as `ranges`
  KernelsOfStages stage_kernels;
  std::map<LabelKey, LabelSums> labels;
  std::map<SignatureKey, CallSignature> signatures;
  std::map<RangeKey, OwnTime> own_times;  // of one rank, for its RankPart::stages; in no file
  std::map<OpKey, StarvedSums> starved;   // kernels
  std::map<OpKey, KernelFill> fills;      // kernels that fill their device badly
  std::map<PriceKey, PriceSums> prices;

  // Those of other ranks. What is in both (a rank was read twice) counts twice: see that it is not.
  void Add(RunFindings other);
  void AddLongWaits(std::vector<LongWait> more);
  // A process or rank with few names of a kind has them one by one, another one has them as
  // "request #": where that is there, all join it. To be called when all is added.
  void FoldNames();
  // Keys of a rank's findings have the program of their process. After that it is left where one
  // name, path of ranges or function with a line is of several programs; else it is empty. To be
  // called when all is added and folded.
  void NamePrograms();
};

// Of one rank: its longest stages.
std::vector<StageTime> LongestStages(const RunFindings& findings, size_t most);

// The costliest first, at most `most`.
std::vector<LineWaits> WaitsByLine(const RunFindings& findings, size_t most);

// Of WaitKey::ranges: "step # > log" -> "log".
std::string InnermostRange(const std::string& ranges);

// "train.py:43 main()" without its line: "train.py main()". Empty: it has none, or is in a package.
std::string WithoutLine(std::string_view where);

// The name with each number as '#': "loss -0.3" is "loss #", "at 0x7f3a" is "at 0x#", and what has
// 16 digits of base 16 or more, or is a UUID, is "#", too.
std::string NumberFamily(std::string_view name);

}  // namespace syncline
