// SPDX-License-Identifier: Apache-2.0
// The processes of one rank, read once and put in order: lives, clocks, losses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inject/core/handover.h"
#include "model/devices/by_source.h"
#include "model/devices/captured_nodes.h"
#include "model/devices/source_record_reader.h"
#include "model/findings/findings.h"
#include "model/findings/recording_cost.h"
#include "model/run/base_time.h"
#include "model/run/code_location.h"
#include "model/run/compiled_run.h"
#include "model/run/exit_facts.h"
#include "model/run/gate_history.h"
#include "model/run/losses.h"
#include "model/run/memory_log.h"
#include "model/run/module_log.h"
#include "model/run/range_log.h"
#include "model/run/source_run.h"
#include "model/run/survey.h"
#include "model/spool/record_sink.h"
#include "model/spool/spool_blocks.h"
#include "model/spool/timeline.h"

namespace syncline {

// One process of the rank as whoever recorded it knows it. A process that became another program
// (exec) has one of these per program that recorded something.
struct ProcessInput {
  std::string spool;                      // path; empty: it recorded nothing
  std::shared_ptr<const StartNote> note;  // null: it sent none
  int32_t outer_pid = 0;                  // 0: only the spool knows
  bool running = false;                   // seen to be alive when recording ended
  bool status_known = false;
  int32_t wait_status = 0;        // as of waitpid
  uint64_t end_monotonic_ns = 0;  // of the recorder's clock; 0: unknown
};

// What a run's part of the trace holds.
struct EventCounts {
  uint64_t ranges = 0;  // push/pop and start/end, finished ones and those that we closed
  uint64_t marks = 0;
  uint64_t calls = 0;
  uint64_t device_ops = 0;   // kernels, copies, memsets
  uint64_t closed = 0;       // of the ranges: closed by us
  uint64_t outside = 0;      // device operations beside those: launched while nothing was recorded
  uint64_t out_of_time = 0;  // dropped: not within the process's life
  uint64_t unmatched = 0;    // start/end halves without the other
  uint64_t steps = 0;        // shown as such, beside the ranges that they are made of
  // Too many; model/run/left_out.h tells of them.
  uint64_t steps_left_out = 0;
  uint64_t stacks_left_out = 0;      // calls
  uint64_t stacks_as_text = 0;       // of which the trace has no frames
  uint64_t gpu_ranges_left_out = 0;  // of threads, not shown on rows of GPUs
  // Not asked for, and not among those above.
  uint64_t ranges_not_shown = 0;
  uint64_t calls_not_shown = 0;
  uint64_t device_ops_not_shown = 0;
  uint64_t Events() const { return ranges + marks + calls + device_ops; }
};

// One program's life in one process, with all that was found out before writing.
struct ProgramRun {
  std::string spool;
  std::string problem;  // why the spool could not be read; empty: it was, or there is none
  ProcessFacts facts{};
  int32_t outer_pid = 0;
  uint32_t clock = 0;     // ClockId, 0: unknown
  uint32_t consumer = 0;  // SpoolProcess::consumer
  std::string build;
  std::string name;
  bool same_process = false;  // as the run before it
  bool continues = false;     // the same program as the run before it, in a new segment
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool end_known = false;
  ExitFacts exit;
  Survey survey;
  Timeline timeline;
  BySource<SourceRun> sources;  // those that told of devices or calls
  // From the first reading. Null: the spool is unreadable, or FreeRecords was called.
  std::unique_ptr<SourceRecordReaders> records;
  std::unique_ptr<RangeLog> range_log;
  CapturedNodes captured;                 // of graphs
  std::unique_ptr<ModuleLog> modules;     // null: there are none
  std::unique_ptr<MemoryLog> memory;      // null: no allocator told of any block
  std::unique_ptr<CompiledRun> compiled;  // null: nobody told of any compilation
  std::unique_ptr<GateHistory> gate;      // null: all was recorded
  std::vector<CoverageGap> closed;        // when nothing was
  RecordingCost recording_cost;           // all 0: not known
  // Of a framework's operators: by thread and begin, in ticks.
  std::map<std::pair<uint32_t, uint64_t>, CollectiveFinding> host_collectives;
  size_t input = 0;    // in RankRequest::processes
  uint32_t index = 0;  // in RankModel::runs
  SpoolDamage damage;
  uint64_t clock_error_ns = 0;
  LossCounts losses{};
  EventCounts counts;  // filled in by writing

  // Frees `records`, when nobody needs them any more.
  void FreeRecords();

  bool readable() const { return !spool.empty() && problem.empty() && timeline.valid(); }
};

inline constexpr uint32_t kLargestPid = (1u << 22) - 1;  // of Linux

struct RankModel {
  int32_t rank = -1;
  // What its trace says: that, or of a rank beside those of the job (an earlier attempt, a spawned
  // world) its number there; -1: it has none, which a trace says as 0.
  int32_t told_rank = -1;
  uint64_t most_records = 0;  // as in RankRequest
  int32_t world_size = -1;
  Anchor job_anchor{};
  OwnCode own;
  BaseTime base;
  std::vector<std::string> unrecorded;  // sentences on processes that are not among `runs`
  std::string base_problem;             // why the rank's base is not the job's; empty: it is
  std::vector<std::unique_ptr<ProgramRun>> runs;  // by process, then by time
  uint32_t source_runs = 0;                       // numbers of SourceRuns are below
};

struct RankRequest {
  int32_t rank = -1;
  int32_t told_rank = -1;   // -1: `rank`
  int32_t world_size = -1;  // -1: as the processes say
  std::vector<ProcessInput> processes;
  std::optional<Anchor> job_anchor;  // empty: the first process's
  OwnCode own;
  std::optional<BaseTime> base;  // of the job; empty: on the grid
  double ticks_per_second = 0;   // of this machine's TSC, 0: unknown
  // How many calls and operations of GPUs are kept in memory at a time, 64 bytes each. If a source
  // has more in a process, none of its are kept. As many ranges around them, 24 bytes each.
  uint64_t most_records = 1 << 24;
  // Further sinks for the records of an input, beside its Survey; may be empty.
  std::function<std::vector<RecordSink*>(size_t input)> sinks;
  // Called with bytes of spools read; false cancels.
  std::function<bool(uint64_t bytes)> progress;
};

// How much memory a reading may keep stacks in, where so many records may be kept.
uint64_t RoomForStacks(uint64_t most_records);

// Reads a run's spool to the sink as ReadRank did: behind the run's gate.
Status ReadProgram(const ProgramRun& run, RecordSink* sink,
                   uint64_t stack_room = CodeStacks::kRoom);

// Reads all spools once, those of a process with a gate twice. Not ok: cancelled, or there is no
// process to show. A spool that cannot be read becomes a run with a problem.
Status ReadRank(const RankRequest& request, RankModel* model);

}  // namespace syncline
