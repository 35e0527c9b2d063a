// SPDX-License-Identifier: Apache-2.0
// What an analysis found out about a process: waits, gaps of devices, collectives. Times are
// nanoseconds on the job's line.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/devices/device_survey.h"
#include "model/devices/op_label.h"
#include "model/findings/rank_times.h"

namespace syncline {

enum class WaitClass : uint8_t {
  kDevice,
  kStream,
  kEvent,
  kLegacyStream,
  kSyncCopy,
  kPageableCopy,
  kAllocation,
  kQuerySpin,
  kQueueFull,
  kModuleLoad,
  kGraph,
  kPeer,  // another process: a rank, a server
  kFile
};
inline constexpr size_t kWaitClasses = 13;
const char* WaitClassName(WaitClass wait);
// Whether it is for something outside of the process, of which no device tells.
constexpr bool IsOutside(WaitClass wait) {
  return wait == WaitClass::kPeer || wait == WaitClass::kFile;
}

inline constexpr uint32_t kNoOp = UINT32_MAX;
inline constexpr uint64_t kNothingFollows = UINT64_MAX;

// A thread of the host waited: for a device, or for something outside of the process.
struct Wait {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t gpu_idle_after_ns = kNothingFollows;  // until the device's next operation; 0: one runs
  uint32_t tid = 0;
  uint32_t correlation = 0;  // the call's, 0: it has none; in a spin, its last query's
  uint32_t waited_for = 0;   // correlation of what ended last among those waited for; 0: nothing
  uint32_t op = kNoOp;       // that operation, if it is one: in Findings::ops
  uint32_t device = kNoId;   // on which gpu_idle_after_ns was looked for
  uint32_t count = 1;        // queries of a spin
  uint16_t name = 0;         // of the call
  WaitClass wait_class = WaitClass::kDevice;
  bool already_done = false;
  bool open = false;  // it lasted until the process ended
  bool lost = false;  // records of work submitted before it are or may be missing: whether it was
                      // needless, and what it waited for, is not known
};

// What a part of a gap went by with.
enum class GapCause : uint8_t {
  kHostWaited,     // the thread that submitted next waited
  kHostBusy,       // it did something else, before it submitted
  kLaunchLatency,  // the next operation was submitted and had not begun
  kCopy,           // the device copied
  kNothingLeft,    // nothing followed until the process ended, or until work was submitted of which
                   // no record came: that may have run
  kFirstUse,       // it was on its way to load code for the device, or loaded that
  kOtherDevice,    // the next operation was submitted, and its stream waited for another device
  kHostFunction    // a function of the host ran in the stream of the next operation
};
inline constexpr size_t kGapCauses = 8;
const char* GapCauseName(GapCause cause);

inline constexpr uint32_t kNoWait = UINT32_MAX;
inline constexpr uint32_t kNoFunction = UINT32_MAX;

// A function of the host in a stream: what is submitted behind it waits until it has returned.
struct HostFunction {
  uint64_t begin_ns = 0;  // when it was submitted, and what it stands behind had ended
  uint64_t end_ns = 0;    // begin_ns: nobody knows, for nothing waited for it
  uint64_t submitted_ns = 0;
  uint32_t tid = 0;  // that submitted it
  uint32_t correlation = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t held = kNoOp;  // in GpuRecords::ops: the operation that waited for it
  uint16_t name = 0;      // of the call, in Findings::call_names
};

// A device computes while a kernel, graph or memset runs; a copy is no computation. In a gap it
// does not, whichever process asks. An empty one is none: what it was is another process's work, or
// gap.
struct Gap {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t device = 0;
  uint32_t tid = 0;                      // of the thread whose call ended the gap; 0: unknown
  uint32_t wait = kNoWait;               // in the waits: the longest in the gap
  GapCause cause = GapCause::kHostBusy;  // of most of the gap
  uint64_t submitted_ns = 0;             // when the call began that ended the gap; 0: unknown
  // The longest time between two calls of that thread, within the gap and before the submission:
  // there the host was busy with what it did not ask the device to do. Where that is less than half
  // of what the host did, the time that has the first quarter's end in it.
  uint64_t host_from_ns = 0;
  uint64_t host_until_ns = 0;
  uint64_t host_later_ns = 0;  // then: the end of the time with the last quarter's begin; else 0
  // The call in which the host was busy itself, without waiting, for more than half of what it was
  // busy in the gap. 0: there is none.
  uint64_t call_at_ns = 0;
  uint16_t call_name = 0;              // then: in Findings::call_names
  bool made_data = false;              // the call behind it copied data to a device
  uint32_t awaited = kNoOp;            // in Findings::ops: for which the next one's stream waited
  uint32_t function = kNoFunction;     // in Findings::host_functions: the longest in the gap
  uint64_t parts_ns[kGapCauses] = {};  // of the gap; their sum is its length
};

// An operation that was waited for. Others of its correlation differ in stream or begin.
struct AwaitedOp {
  GpuStream stream;
  uint32_t correlation = 0;
  uint32_t label = 0;  // in Findings::op_labels
  uint64_t begin_ns = 0;
};

// One rank's part in a collective of a communicator.
struct CollectiveFinding {
  uint64_t communicator = 0;
  uint64_t waited_ns = 0;  // for the rank that came last
  uint32_t sequence = 0;   // of the communicator's collectives, from 0
  int last_rank = -1;      // of the job; -1: the clocks cannot tell which of the last ones
  uint32_t ranks = 0;      // of the communicator; 0: not known
};

// How a rank met the others in collectives; nothing where no kernels of all ranks could be put
// together.
struct CollectiveFacts {
  uint64_t met = 0;                  // collectives
  uint64_t came_last = 0;            // to how many of them
  RankTimes waited_for_ns;           // by the rank that came last
  RankTimes at_first_ns;             // of these: at a communicator's first collective, once
  uint64_t late_by_ns = 0;           // it came later than all others, not at a first one
  uint64_t in_graphs = 0;            // of those met: launches of graphs with collectives
  uint64_t waited_in_graphs_ns = 0;  // of the time that these took
};

// What a time between two calls was, as far as the lines and calls around it tell.
enum class HostSpan : uint8_t {
  kBetween,   // the program ran from one line to another
  kWithin,    // one line's own call: what it calls in a library took the time
  kData,      // data was made: the next value of a loop, or what was copied to the device after it
  kExchange,  // data was exchanged with other processes: MPI_Sendrecv()
  kTail,      // the rest of a loop's pass, behind its last call
  kAwaits     // another thread, a process or a client had to hand something over: queue.get()
};
inline constexpr size_t kHostSpans = 6;
const char* HostSpanName(HostSpan span);  // "between"

// From one line of the user's code to another, as its author would tell it: "train.py:18 train()"
// to "train.py:13 train()", below it "data.py:8 batches()". The two lines are of the deepest
// function that the thread was in at both moments. Empty: not known. Within one line (kWithin) that
// calls a package, `before` and `below` are the package's lines; both are one where the thread was
// on its way into the line.
struct LinesBetween {
  std::string before{};
  std::string next{};
  std::string below{};  // where the thread was then, if that is further in
  HostSpan span = HostSpan::kBetween;
  std::string statement{};  // the source text of `next`, if that is one line
  auto operator<=>(const LinesBetween&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct Findings {
  std::string missing;      // what was not looked for, and why; empty: nothing
  std::vector<Wait> waits;  // by begin; those of one thread do not overlap
  std::vector<Gap> gaps;    // by device and begin; those of one device do not overlap
  std::vector<HostFunction> host_functions;  // by correlation
  std::vector<AwaitedOp> ops;
  std::vector<OpLabel> op_labels;
  std::vector<std::string> call_names;  // by Wait::name
  // The ranges that were open where a wait began, and where the thread was that ended a gap:
  // "step 3 > backward", empty outside of all. Known after the second reading.
  std::vector<std::string> wait_ranges;
  std::vector<std::string> gap_ranges;
  // "train.py:42 step()": where in the user's code the call of a wait stands; empty: unknown.
  std::vector<std::string> wait_where;
  std::map<std::string, std::string> statements;  // the source texts of these lines, where known
  // The line that called the function of that line; empty: none, or unknown.
  std::vector<std::string> wait_callers;
  // Where the call stands that submitted a function of the host, and the ranges around it.
  std::vector<std::string> function_where;
  std::vector<std::string> function_ranges;
  // Around the longest time in which the host was busy in a gap.
  std::vector<LinesBetween> gap_lines;
  std::vector<std::string> gap_call_where;  // of Gap::call_at_ns
  // By the correlation of the collective's one kernel.
  std::unordered_map<uint32_t, CollectiveFinding> collectives;
};

}  // namespace syncline
