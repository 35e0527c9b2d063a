// SPDX-License-Identifier: Apache-2.0
// What one rank did for collectives of several ranks.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inject/core/source.h"

namespace syncline {

enum class CollectiveKind : uint8_t {
  kAllGather,
  kAllReduce,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kInGraph,  // a launch of a whole graph in which there are some for which no rank is done early
  kGather,
  kScatter,
  kAllToAll,
  kBarrier
};
inline constexpr uint8_t kCollectiveKinds = 10;

// What one rank did for one collective. Nanoseconds on the job's line.
struct Collective {
  uint64_t communicator = 0;  // equal in all its ranks
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  // Of the program's calls for this communicator, from 0; kInGraph: of the launches of graphs.
  uint32_t sequence = 0;
  uint32_t correlation = 0;
  Source source = 0;
  uint8_t device = 0;    // of the source
  uint32_t process = 0;  // of the rank
  CollectiveKind kind = CollectiveKind::kAllReduce;
  // Of a framework's operator, which has no kernel that is known. Its end is the begin where nobody
  // knows when it was done.
  uint32_t operation = 0;  // in RankCollectives::operations, from 1; 0: a kernel
  uint32_t tid = 0;
  uint64_t asked = 0;  // when the operator began: ticks, in the process
  // So long after the begin the thread called its next operator: it may have waited until then.
  // UINT64_MAX: it called none, or this is a kernel.
  uint64_t may_wait_ns = UINT64_MAX;
  uint64_t bytes = 0;

  bool EndIsKnown() const { return end_ns != begin_ns; }
};

// What an operator does, and with which elements: "allreduce", "Float".
struct CollectiveOperation {
  std::string name, type;
  auto operator<=>(const CollectiveOperation&) const = default;  // NOLINT(modernize-use-nullptr)
};

// One rank's end of what it sent to another one, or received: the kernel that did it, and others
// with it.
struct Message {
  uint64_t communicator = 0;
  uint64_t begin_ns = 0;  // of the kernel; of a framework's operator, as a Collective's
  uint64_t end_ns = 0;
  uint64_t asked = 0;     // when the program's call began: ticks, in the process
  uint32_t tid = 0;       // of that call
  uint32_t sequence = 0;  // of the communicator's from or to that peer, from 0
  uint32_t peer = 0;      // its rank in the communicator
  uint32_t range = 0;     // in RankCollectives::message_ranges
  uint32_t process = 0;   // of the rank
  bool sends = false;
  uint64_t may_wait_ns = UINT64_MAX;  // as a Collective's

  bool EndIsKnown() const { return end_ns != begin_ns; }
};

// Why nothing is said of a collective kernel, or of what was asked for.
enum class LeftOut : uint8_t {
  kSendReceive,    // sends and receives whose peers are not known
  kSeveralInOne,   // one kernel for several communicators, or several kernels for one call
  kNotAskedFor,    // a kernel whose call is not known
  kAlone,          // the communicator has one rank
  kInOneProcess,   // several devices of one process take part
  kRanksMissing,   // not all ranks of the communicator have findings
  kRecordsLost,    // a rank lost records, so that its calls cannot be numbered
  kKernelMissing,  // a rank has no record of the kernel
  kMismatch,       // the kernels cannot be one collective
  kClocks,         // the clocks of several machines cannot be laid side by side
  kTooMany,        // beyond what is kept
  kCount
};
inline constexpr uint8_t kLeftOutReasons = static_cast<uint8_t>(LeftOut::kCount);
using LeftOutCounts = std::array<uint64_t, kLeftOutReasons>;
// "send_receive", for files; a sentence's end, for people.
const char* LeftOutName(LeftOut reason);
const char* LeftOutMeaning(LeftOut reason);

// The line on which a rank's times stand: a machine's clock, plus an offset. Two ranks of one
// machine differ by their offsets and nothing else; of two machines nothing is known beforehand.
struct ClockLine {
  std::string machine;    // its boot id, else its name; empty: not known, as of one machine
  int64_t offset_ns = 0;  // of the line against the machine's MONOTONIC clock

  bool operator==(const ClockLine&) const = default;
};

struct RankCollectives {
  int rank = -1;
  uint64_t error_ns = 0;               // of its times
  bool complete = true;                // no call is missing: the numbers are right
  std::vector<Collective> done;        // at most one of each communicator and number
  std::map<uint64_t, uint32_t> sizes;  // of communicators: how many ranks they have
  std::map<uint64_t, uint32_t> own;    // of communicators: this rank's number in them
  std::vector<Message> messages;
  std::vector<CollectiveOperation> operations;
  std::map<uint64_t, std::string> groups;   // names of communicators that have one
  std::vector<std::string> message_ranges;  // "step # > forward": where they were asked for
  LeftOutCounts left_out{};                 // kernels
  ClockLine clock;
};

}  // namespace syncline
