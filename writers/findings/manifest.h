// SPDX-License-Identifier: Apache-2.0
// run/rank-N.json: what a rank's trace holds, what was lost, and how good its times are. "Manifest"
// in the design.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inject/core/segment.h"
#include "model/findings/findings.h"
#include "model/findings/run_findings.h"
#include "model/run/base_time.h"

namespace syncline {

// Begins a problem of a process that says what the analysis left out, and why.
inline constexpr char kNotLookedFor[] = "not looked for: ";

inline constexpr char kRankSchema[] = "syncline.rank/1";

// Times are nanoseconds since 1970 on the job's line.
// How much was recorded of a source's devices for some time.
struct ManifestCoverage {
  std::string source;    // empty: the process has no other
  std::string recorded;  // as GpuCoverageName
  std::string why;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// A device that a process saw.
struct ManifestDevice {
  std::string source;   // as of findings
  uint32_t device = 0;  // as the process numbers it
  std::string name;
  std::string uuid;  // empty: not known
  std::string pci;   // "0000:65:00.0"; empty: not known
};

// Slices that --min-duration or --kernels leaves out: beside those that are counted elsewhere.
struct NotShown {
  uint64_t ranges = 0;
  uint64_t calls = 0;
  uint64_t device_ops = 0;

  uint64_t All() const { return ranges + calls + device_ops; }
  void Add(const NotShown& other) {
    ranges += other.ranges;
    calls += other.calls;
    device_ops += other.device_ops;
  }
};

// When a process with a gate recorded (--stages, --steps, --delay ...), and what it left out.
struct ManifestGate {
  bool gated = false;
  uint64_t windows = 0;  // how often the gate was open
  uint64_t open_ns = 0;  // how long in all
  std::vector<std::pair<uint64_t, uint64_t>>
      times;  // begin and end of the first kGateTimes of them
  NotShown not_recorded;
  uint64_t outside = 0;                  // device operations shown beside what was asked for
  uint64_t steps = 0;                    // of --step-range that began
  std::vector<std::string> range_names;  // some, where the gate was never open
};
inline constexpr size_t kGateTimes = 64;

struct ManifestProcess {
  int32_t pid = 0;        // as the recorder saw it
  int32_t inner_pid = 0;  // as the process saw itself
  int32_t ppid = 0;
  std::string name;
  std::string command_line;            // for people; empty: not recorded
  std::vector<std::string> arguments;  // as they were given, any bytes
  bool arguments_cut = false;          // there are more, or the last one is longer
  std::string executable;
  std::string host;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  bool end_known = false;
  std::string exit_kind;  // "exited", "signaled", "running", "unknown"
  int exit_value = 0;     // status or signal
  std::string exit_text;  // for people
  uint64_t threads = 0;
  uint64_t ranges = 0;
  uint64_t ranges_closed = 0;  // of the ranges: still open when the process ended
  uint64_t marks = 0;
  uint64_t calls = 0;       // of GPU runtimes and drivers
  uint64_t device_ops = 0;  // kernels, copies, memsets
  uint64_t steps = 0;       // ProfilerStep#N, of --step-range
  NotShown not_shown;
  ManifestGate gate;
  uint64_t record_bytes = 0;
  std::map<std::string, uint64_t> losses;  // by name; only what is not 0
  std::vector<std::string> degraded;       // names of steps
  std::vector<std::string> problems;       // damage of the spool, in sentences
  std::string recorded_by;                 // "launcher", "process"; "none": no records
  // When its segment was made, REALTIME: with pid it names the recording; 0: none.
  uint64_t segment_ns = 0;
  std::string clock;  // "tsc", "monotonic", "unknown"
  uint64_t clock_error_ns = 0;
  std::vector<Anchor> anchors;             // at most 64, spread over the run
  std::string build;                       // of the library that recorded
  std::vector<ManifestCoverage> coverage;  // empty: it used no GPU
  std::vector<ManifestDevice> devices;
  std::string log;  // what the library said
};

struct RankManifest {
  int32_t rank = -1;  // -1: none
  int32_t world_size = -1;
  std::string host;
  std::string launcher;
  std::string trace;  // file name, relative to the run's directory
  std::string version;
  BaseTime base_time;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t events = 0;  // ranges, marks, calls and device operations
  uint64_t ranges = 0;
  uint64_t marks = 0;
  uint64_t calls = 0;       // of GPU runtimes and drivers
  uint64_t device_ops = 0;  // kernels, copies, memsets
  uint64_t steps = 0;       // ProfilerStep#N, of --step-range
  NotShown not_shown;
  NotShown not_recorded;     // because a gate was closed
  uint64_t trace_bytes = 0;  // of the file
  uint64_t text_bytes = 0;   // of the JSON text in it
  uint64_t clock_error_ns = 0;
  CollectiveFacts collectives;
  std::vector<LineWaits> waits_by_line;  // the costliest first, at most kCostliestLines
  std::map<std::string, uint64_t> losses;
  std::vector<std::string> degraded;
  std::vector<ManifestProcess> processes;
  uint64_t processes_left_out = 0;      // beside those: recorded nothing
  std::vector<std::string> unrecorded;  // sentences on programs of which not all could be recorded
};

// Written as .tmp, then renamed: its presence marks the trace complete.
Status WriteManifest(const std::string& path, const RankManifest& manifest);

// Checks the schema's name; fields that are missing keep their defaults, unknown ones are ignored.
Status ReadManifest(const std::string& path, RankManifest* manifest);

// The option or step that prevents a loss, by the loss's name; empty: unknown name (a later
// version).
std::string RemedyOf(const std::string& loss);

}  // namespace syncline
