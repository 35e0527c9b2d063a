// SPDX-License-Identifier: Apache-2.0
// The processes of one rank, put in order before anything is written: rows, lives, clocks, losses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inject/core/handover.h"
#include "writers/base_time.h"
#include "writers/chrome_events.h"
#include "writers/derived.h"
#include "writers/device_timeline.h"
#include "writers/gpu_ranges.h"
#include "writers/gpu_rows.h"
#include "writers/losses.h"
#include "writers/rows.h"
#include "writers/spool_blocks.h"
#include "writers/survey.h"
#include "writers/timeline.h"

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

enum class ExitKind { kUnknown, kRunning, kExited, kSignaled };

struct ExitFacts {
  ExitKind kind = ExitKind::kUnknown;
  int value = 0;            // status or signal
  const char* source = "";  // who said so
};

// One program's life in one process, with all that was found out before writing.
struct Image {
  std::string spool;
  std::string problem;  // why the spool could not be read; empty: it was, or there is none
  ProcessFacts facts{};
  int32_t outer_pid = 0;
  uint32_t clock = 0;     // ClockId, 0: unknown
  uint32_t consumer = 0;  // SpoolProcess::consumer
  std::string build;
  std::string name;
  RowIds rows;
  bool continues = false;  // the same program as the image before it, in a new segment
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool end_known = false;
  ExitFacts exit;
  Survey survey;
  Timeline timeline;
  DeviceTimeline device_timeline;
  std::vector<GpuPeriod> gpu_periods;
  Derived derived;
  GpuRanges gpu_ranges;
  uint32_t index = 0;  // in RankPlan::images
  SpoolDamage damage;
  uint64_t clock_error_ns = 0;
  LossCounts losses{};
  EventCounts counts;  // filled in by writing

  bool readable() const { return !spool.empty() && problem.empty() && timeline.valid(); }
};

struct RankPlan {
  int32_t rank = -1;
  int32_t world_size = -1;
  Anchor job_anchor{};
  BaseTime base;
  std::string base_problem;                    // why the rank's base is not the job's; empty: it is
  std::vector<std::unique_ptr<Image>> images;  // by process, then by time
  GpuRows gpu_rows;
};

struct PlanRequest {
  int32_t rank = -1;
  int32_t world_size = -1;  // -1: as the processes say
  std::vector<ProcessInput> processes;
  std::optional<Anchor> job_anchor;  // empty: the first process's
  std::optional<BaseTime> base;      // of the job; empty: on the grid
  double ticks_per_second = 0;       // of this machine's TSC, 0: unknown
  // Called with bytes of spools read; false cancels.
  std::function<bool(uint64_t bytes)> progress;
};

// Reads all spools once. Not ok: cancelled, or there is no process to show. A spool that cannot be
// read becomes an image with a problem.
Status MakePlan(const PlanRequest& request, RankPlan* plan);

}  // namespace syncline
