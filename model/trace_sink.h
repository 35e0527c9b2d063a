// SPDX-License-Identifier: Apache-2.0
// What a trace that Syncline wrote tells when it is read again (docs/trace-format.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/findings.h"

namespace syncline {

// What stands before the events.
struct TracedFacts {
  std::string version;  // of the Syncline that wrote it
  uint64_t base_ns = 0;
  int32_t rank = -1;
  int32_t world_size = -1;
  std::string host;
  uint64_t clock_error_ns = 0;
  std::map<std::string, uint64_t> losses;
  std::vector<std::string> missing;         // what was not looked for, and why
  std::map<uint32_t, std::string> devices;  // names, by pid
  bool limited = false;                     // --min-duration, --kernels: slices were left out
};

enum class TracedKind : uint8_t {
  kOther,
  kLife,          // of a process
  kUnseen,        // less than all was recorded of its devices
  kRange,         // push/pop
  kStartedRange,  // start/end
  kMark,
  kCall,
  kOp,
  kStreamWait,  // a stream waits for an event
  kWait,
  kGap,
  kMemory  // bytes that a process holds
};

// One event. What it does not tell is empty, or has the value that stands here.
struct TracedEvent {
  TracedKind kind = TracedKind::kOther;
  std::string name;
  uint32_t pid = 0;  // of the row
  uint32_t tid = 0;  // the thread, whichever of its rows it is
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;

  std::string source;    // of calls and stream waits: "cuda"
  std::string category;  // of ranges: it tells the collector
  std::string domain;
  uint32_t process = 0;                 // a life's own pid
  std::optional<uint64_t> correlation;  // as in the trace
  uint64_t error = 0;
  std::string where;

  DeviceOpType op = DeviceOpType::kKernel;
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t graph = 0;
  uint64_t bytes = 0;
  std::string communicator;  // of a collective in which all ranks met
  uint32_t sequence = 0;
  int last_rank = -1;
  uint64_t waited_ns = 0;
  std::optional<uint64_t> event;  // for which a stream waits, recorded by the next two
  uint64_t recorded_by = 0;
  uint32_t recorded_in = 0;

  uint32_t order = 0;  // of a wait's source among those of its process
  std::string call;
  std::string wait_class;
  std::string ranges;
  std::optional<uint64_t> waited_for;
  bool waited_for_op = false;
  std::optional<bool> already_done;
  bool unfinished = false;
  uint64_t idle_after_ns = kNothingFollows;
  uint32_t count = 1;
  std::string cause;
  std::string before;
  std::string next;
  uint32_t thread = 0;  // of a gap
};

// A correlation of a trace tells two things. HTA stores event indices in the integer type that the
// largest correlation needs.
inline constexpr uint64_t kFirstTraceCorrelation = 65536;
constexpr uint32_t SourceRunOf(uint64_t traced) {
  return static_cast<uint32_t>((traced - kFirstTraceCorrelation) >> 32);
}
constexpr uint32_t CorrelationOf(uint64_t traced) {
  return static_cast<uint32_t>(traced - kFirstTraceCorrelation);
}

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // Once, before all events. False stops reading.
  virtual bool OnFacts(const TracedFacts& facts) = 0;
  virtual void OnEvent(const TracedEvent& event) = 0;
};

}  // namespace syncline
