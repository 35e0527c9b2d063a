// SPDX-License-Identifier: Apache-2.0
// What a replay of one source's work in one process needs of its records: what each thread
// submitted and waited for, and what each operation stood behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/waits/waits.h"
#include "model/devices/gpu_records.h"
#include "model/findings/wait_rules.h"

namespace syncline {

inline constexpr uint32_t kNoIndex = UINT32_MAX;

enum class CopyKind : uint8_t { kNone, kToDevice, kToHost };  // within a device: none
inline constexpr size_t kCopyKinds = 3;

// Times are nanoseconds on the job's line, as recorded.
struct ReplayOp {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  int64_t latency_ns = 0;  // it begins so long after its call at the earliest ...
  int64_t gap_ns = 0;      // ... and so long after the last of what it stands behind
  uint64_t late_ns = 0;    // of its duration: it waited for a rank that came later
  uint32_t correlation = 0;
  uint32_t stream = 0;         // in ReplayWindow::streams
  uint32_t leader = kNoIndex;  // the first operation of its call: it keeps its distance from that
  uint32_t first_awaited =
      0;  // in ReplayWindow::awaited: other streams' work that it stands behind
  uint32_t awaited = 0;
  uint32_t bytes = 0;                 // that are copied; UINT32_MAX: that many or more
  uint32_t communication = kNoIndex;  // what it does with other ranks: in ReplayGraph
  uint32_t function = kNoIndex;  // in Findings::host_functions: it is that function of the host
  CopyKind copy = CopyKind::kNone;
  bool is_pinned = false;  // the host's memory of a copy
  bool before = false;     // of the time before the window: as recorded, whatever is changed
};

enum class PointKind : uint8_t { kSubmit, kWait, kAllocation };
enum class Awaits : uint8_t { kNothing, kOp, kContext, kGathered };

// A thread did something that matters to devices. What lies between two points is the host's own.
struct ReplayPoint {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t staged_ns = 0;          // of a call that waited first: from then to its end
  uint32_t op = kNoIndex;          // the first that is submitted; the one that is waited for
  uint32_t ops = 0;                // so many are submitted
  uint32_t wait = kNoIndex;        // in Findings::waits
  uint32_t gap = kNoIndex;         // in Findings::gaps: the host was busy until this point
  uint32_t allocation = kNoIndex;  // in ReplayGraph::allocations
  uint32_t reads_for = kNoIndex;   // a copy to the host which that wait reads
  uint32_t sends_for = kNoIndex;   // a copy to the device for which that wait is
  uint32_t sent_for = kNoIndex;    // the same, where its call waits itself before: the wait behind
  uint32_t context = kNoIndex;     // in ReplayWindow: of what is waited for
  uint32_t tid = 0;
  uint32_t calls = 0;  // its thread's, recorded since the one before
  uint32_t clock = 0;  // threads that take turns share one
  // Another thread, a process or a client handed over what the thread waited for: that comes at no
  // other time, whatever the thread does less before.
  bool handed_over = false;
  PointKind kind = PointKind::kSubmit;
  Awaits awaits = Awaits::kNothing;
};

struct ReplayStream {
  uint32_t context = 0;     // a number of the window's
  bool is_default = false;  // waits for the gathered ones of its context, and they for it
  bool gathered = false;
};

// A part of a process's life.
struct ReplayWindow {
  std::vector<ReplayPoint> points;  // by begin
  std::vector<ReplayOp> ops;        // in the order of submission
  std::vector<uint32_t> awaited;    // in ops
  std::vector<ReplayStream> streams;
  uint32_t contexts = 0;
  uint32_t clocks = 0;
  // Of the process's large copies of pinned memory; 0: there are too few to tell.
  double pinned_bytes_per_ns[kCopyKinds] = {};
};

// A call that took or gave back memory, whether it waited or not.
struct Allocation {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t tid = 0;
  uint16_t name = 0;
};

// A moment at which a thread submitted something.
struct Submission {
  uint64_t at_ns = 0;
  uint32_t tid = 0;
};

// What changes of operations are about; a few submissions of each tell where they stand.
enum class Submitted : uint8_t { kKernel, kCopy, kIntoDefaultStream, kCommunication };
inline constexpr size_t kSubmittedKinds = 4;

struct ReplayGraph {
  // Operations in all windows of a process. One with more, or with eight times as many calls, has
  // windows that are spread evenly over the whole.
  static constexpr size_t kMostOps = 1 << 16;
  static constexpr size_t kWindows = 8;
  static constexpr size_t kMostSamples = 64;  // of a kind

  std::vector<ReplayWindow> windows;
  std::vector<Allocation> allocations;  // of the windows
  std::vector<Submission> samples[kSubmittedKinds];
  std::vector<std::string> communications;  // "AllReduce", "SendRecv": what operations do
  uint64_t call_cost_ns = 0;                // by which each recorded call is longer
  uint64_t begin_ns = 0;
  uint64_t whole_ns = 0;            // from the first to the last point or operation of the process
  uint64_t seen_ns = 0;             // of that, while all work of devices was recorded
  uint64_t replayed_ns = 0;         // of that, in windows
  bool has_default_stream = false;  // and others beside it, which it holds up

  bool empty() const { return windows.empty(); }
  // Bytes.
  uint64_t size() const;
};

// Whether half of the gap and more went by with what the host did before it submitted the next
// work.
bool HostWorked(const Gap& gap);

// `records` as FindWaits and FindGaps left them, `waits` and `gaps` their results, `functions` that
// of FindHostFunctions. O(n) beside the windows. `communications`: by GpuOp::kernel, what it does
// with other ranks ("AllReduce"); empty: nothing. Takes 80 bytes a point and 80 an operation of
// the windows.
ReplayGraph MakeReplayGraph(const GpuRecords& records,
                            const std::vector<std::string>& communications, const WaitRules& rules,
                            const std::vector<Wait>& waits, const std::vector<Gap>& gaps,
                            const std::vector<HostFunction>& functions,
                            size_t most = ReplayGraph::kMostOps);

}  // namespace syncline
