// SPDX-License-Identifier: Apache-2.0
// A run's report as data: report/report_builder.h makes it of findings, writers/tables/ prints
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/findings/findings.h"
#include "model/findings/run_findings.h"

namespace syncline {

// Times are nanoseconds; moments are since 1970 on the job's line. Texts come from the program that
// was recorded: whoever prints them makes them harmless.

// Of what devices did.
struct LostRecords {
  uint64_t lost = 0;
  uint64_t of = 0;      // with what was recorded
  bool certain = true;  // false: some may have been of other things

  // Whether so much is missing that sums and shares say nothing.
  bool Matters() const { return lost != 0 && lost >= of / 100; }
  void Add(const LostRecords& other);
};
// "77 of 85 GPU records are lost", "up to 300 of 4,000 GPU records are lost".
std::string LostText(const LostRecords& lost);

// Of what a finding has waited for, by one way of waiting.
struct FindingPart {
  std::string what;  // "stream: cudaStreamSynchronize"
  uint64_t blocked_ns = 0;
};

// Something to change. Words of `kind` are those of docs/report.md.
struct ReportFinding {
  std::string kind;     // "read_back"
  std::string problem;  // "the host waits for the GPU at train.py:38 main()"
  std::string where;    // a line, else a range, else a call
  std::string wait_class;
  std::string call;
  std::string rank;         // "rank 3", "8 ranks"
  std::string stage;        // the innermost range; empty: outside of all
  uint64_t count = 0;       // of all ranks
  uint64_t blocked_ns = 0;  // of all ranks
  // How much earlier the job's work would have ended.
  bool priced = false;
  uint64_t gain_ns = 0;
  double gain_percent = 0;  // of the run
  std::string assumption;   // "if the value is not needed there"
  std::string advice;
  // The longest single one, for `syncline view`; empty, 0: not known.
  std::string trace;
  uint64_t begin_ns = 0;
  std::string program{};    // where several have a place of this name; else empty
  std::string line{};       // of the program; empty: not known
  std::string statement{};  // the source text of `line`; empty: not known
  std::string lines{};      // "at 12 lines", "from 9 lines": where one place is many; else empty
  bool worth = true;        // false: nothing is gained, or it happens once
  bool small = false;       // beside the first one
  // Around the host's own work: the line before, and where the host was below `line`; empty: not
  // known, or none such.
  std::string before{};
  std::string below{};
  HostSpan span = HostSpan::kBetween;
  LostRecords lost{};          // of its ranks, if it matters: then it has no price
  uint64_t idle_after_ns = 0;  // of a wait: until its device's next work
  // Of the host's own work: what it brings that one other thread does it beforehand, and how many
  // have to, where that is not all; 0: one.
  uint64_t ahead_ns = 0;
  uint64_t workers = 0;
  double share = 0;  // of the run, `blocked_ns` of what is longer than on other ranks; 0: not told
  std::vector<FindingPart> parts{};  // longest first; empty: it is one
  size_t number = 0;                 // its place in the report, from 1
  // Of its price, and the rank that comes late no longer; none, -1: it is about no such thing.
  std::optional<PriceKey> change{};
  std::vector<PriceKey> also{};  // what goes with it: further parts of the same cause
  int late_rank = -1;
  // Which one it is if changes are made one after another, from 1, and what it brings then, with
  // those before it made; 0: what they leave of it brings nothing.
  size_t step = 0;
  uint64_t more_ns = 0;
  // So many ranks have a part of `count`, though `rank` has most of what is gained; 0: it has all.
  uint64_t count_ranks = 0;
};

// A range by its name.
struct ReportStage {
  RangeKey key;
  DurationSums sums;
  StageWork work;
};

// Ranges of a name that bear one value of a label.
struct ReportLabel {
  LabelKey key;
  LabelSums sums;
};

// Which kernels the ranges of a name launched.
struct ReportStageKernels {
  struct Row {
    OpKey key;
    StageKernel sums;
  };
  RangeKey key;
  std::vector<Row> kernels;  // costliest first; those beyond the most are one
};

struct ReportSteps {
  std::string rank;  // name of its trace
  int32_t pid = 0;
  std::string name;
  uint64_t median_ns = 0;
  std::vector<Step> steps;          // in the order of time
  std::vector<size_t> outliers;     // in `steps`: longer than twice the median
  TimeShares shares{};              // as in StepSeries
  std::vector<LongStep> longest{};  // as there
  StepWork work{};
  uint64_t allocated_peak = 0;  // of the step with the highest; 0: not known
  uint64_t held_peak = 0;
  uint64_t allocated_peak_in = 0;  // Step::number of that one
  // Where others of the rank take such steps, too: " (train)", " (process 7)"; else empty.
  std::string process{};
};

enum class KernelClass : uint8_t {
  kMatmul,
  kAttention,
  kCommunication,
  kMemory,
  kElementWise,
  kOther
};
inline constexpr size_t kKernelClasses = 6;
const char* KernelClassName(KernelClass kernel_class);  // "element-wise"

struct ReportKernel {
  OpKey key;
  KernelClass kernel_class = KernelClass::kOther;
  DurationSums sums;
  double share = 0;  // of all kernels' time
  StarvedSums starved;
  KernelFill fill{};
};

struct ReportOperator {
  RangeKey key;
  std::string shapes;  // of its inputs; empty: of all
  std::string line;    // that called it; empty: all, or it is not known
  OperatorSums sums;
};

struct ReportCompilation {
  CompileKey key;
  DurationSums sums;
};

struct ReportCompileStep {
  std::string rank;  // name of its trace
  CompileStep step;
};

// A kernel that a framework's compiler generated, or what it calls instead of one.
struct ReportCompiled {
  CompiledKey key;
  CompiledSums sums;
  // Of all kernels of that name, whichever graph they are of; none: devices ran none.
  std::optional<DurationSums> ran{};
};

// A part of a model that is called, or in which others are.
struct ReportModule {
  RangeKey key;
  ModuleSums sums;
  OperatorWork back;         // backward, with modules below
  uint64_t replayed_ns = 0;  // with modules below
};

struct ReportCopy {
  OpKey key;
  CopySums sums;
};

struct ReportDevice {
  std::string rank;  // name of its trace
  DeviceUse use;
  LostRecords lost{};   // of all devices of the rank
  std::string apart{};  // what tells it from a device of the same number; empty: it is the only one
  bool idle_known = true;  // false: others used it of whose work the rank's launcher did not know
};

struct ReportRank {
  std::string name;  // of its trace
  std::string host;
  int32_t rank = -1;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t computing_ns = 0;  // of its devices
  uint64_t busy_ns = 0;
  uint64_t seen_ns = 0;
  uint64_t met = 0;  // collectives
  uint64_t came_last = 0;
  uint64_t waited_ns = 0;       // for others
  uint64_t others_paid_ns = 0;  // waited for this rank
  uint64_t bubble_ns = 0;       // it waited for others in sends and receives
  std::string late_stage;       // in which it came last most often; empty: not known
  LostRecords lost{};
  TimeShares shares{};  // as in RankPart
  ByFormat flops{};     // the same
};

// Of a framework's allocator.
struct ReportAllocator {
  std::string rank;  // name of its trace
  AllocatorUse use;
};

// A process that ended before its time.
struct ReportEnding {
  std::string rank;  // name of its trace
  ProcessEnding end;
};

// How long one rank was in a stage.
struct ReportRankStage {
  std::string rank;  // name of its trace
  StageTime time;
  uint64_t beyond_ns = 0;  // of the total: longer than half of the other ranks
};

// The findings' own rows, of a report of all.
using ReportWait = std::pair<WaitKey, WaitSums>;
using ReportGap = std::pair<GapKey, DurationSums>;
using ReportMessages = std::pair<MessageKey, MessageSums>;
using ReportCollective = std::pair<CollectiveKey, CollectiveSums>;

enum class OperatorsBy { kName, kShapes, kLine };

// What somebody wishes of the tables of a report.
struct TableWish {
  std::string column;  // by which rows are sorted, where a table has it; empty: as they are
  size_t most = 0;     // rows; 0: as many as fit
  OperatorsBy operators = OperatorsBy::kName;
  std::string label{};  // ranges by its values; empty: none
};

// What the host did in one function while devices had nothing to do.
struct ReportHostWork {
  std::string function;  // "data.py collate()"; where nothing is known: empty
  std::string line;      // of that, the one with most of it: "data.py:40 collate()"
  HostActivity activity = HostActivity::kRunning;
  std::string what;  // as in HostWorkKey
  std::string program;
  uint64_t samples = 0;
  double share = 0;      // of all samples
  uint64_t idle_ns = 0;  // so much of the devices' idle time
};

struct Report {
  std::string directory;
  uint64_t length_ns = 0;  // from the first begin to the last end of a rank
  uint64_t begin_ns = 0;
  uint64_t events = 0;
  uint64_t hosts = 0;
  bool simulated = false;  // a device calls itself that

  std::vector<ReportEnding> endings;    // the first one first
  std::vector<ReportFinding> findings;  // best first
  // How much of the time of the program's steps, or else of all, devices worked; none: not known.
  std::optional<double> working;
  // Kernels of collectives whose waiting nobody knows, where that is most of them.
  uint64_t unknown_collectives = 0;
  std::string order;  // a sentence: what they bring one after another; or empty
  // In sentences: what the host did while devices had nothing to do; empty: it was not sampled.
  std::string host_work_text;
  std::vector<ReportHostWork> host_work;  // by function, most first
  bool only_finding = false;              // `findings` is one of them, and nothing else is wanted
  std::vector<ReportStage> stages;        // costliest first
  std::vector<ReportLabel> labels;        // costliest first, of all labels
  bool all_tables = false;                // waits, gaps and kernels by stage are tables, too
  std::vector<ReportStageKernels> stage_kernels;  // as `stages`; without those that launched none
  std::vector<ReportSteps> steps;
  std::vector<ReportAllocator> allocators;       // that held most first
  std::vector<ReportOperator> operators;         // of a framework, costliest first
  std::vector<ReportOperator> operator_shapes;   // the same by the sizes of their inputs
  std::vector<ReportOperator> operator_lines;    // by the lines that called them
  std::vector<ReportCompilation> compilations;   // what took longest first
  std::vector<ReportCompileStep> compile_steps;  // too
  std::vector<ReportCompiled> compiled;          // what ran longest first
  std::vector<ReportModule> modules;             // each before those below it
  std::vector<ReportKernel> kernels;             // costliest first
  uint64_t kernel_class_ns[kKernelClasses] = {};
  std::vector<ReportCopy> copies;
  std::vector<ReportDevice> devices;
  std::vector<ReportRank> ranks;              // by number
  std::vector<ReportCollective> collectives;  // of operators, the longest waited for first
  std::vector<ReportMessages> messages;       // who waited for whom, the longest first
  std::vector<ReportRankStage> rank_stages;   // costliest stage first, its ranks by number
  uint64_t rank_stages_of = 0;                // with those that are beyond the most
  std::vector<ReportWait> waits;              // these two costliest first
  std::vector<ReportGap> gaps;
  // Longest computing time of a rank, by the mean, less 1; none: not two ranks of which it is
  // known.
  std::optional<double> imbalance;
  // The names in which most of the ranges' own time went by, and which part of it.
  std::vector<std::pair<std::string, double>> range_shares;

  std::map<std::string, uint64_t> losses;
  LostRecords lost{};         // of all ranks
  bool lost_matters = false;  // of one of them
  TableWish wish;
  // By rank, of the processes of which it is known.
  std::vector<std::pair<std::string, RecordingCost>> recording_costs;
  std::vector<std::string> limits;    // options by which only a part was recorded: "--steps 5:8"
  std::vector<std::string> health;    // sentences: coverage, clocks, our own time, what is missing
  std::vector<std::string> problems;  // what could not be read
};

}  // namespace syncline
