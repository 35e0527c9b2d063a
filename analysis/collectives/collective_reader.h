// SPDX-License-Identifier: Apache-2.0
// Reads from a spool which kernels a process launched for which communicator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/collectives/captured_collectives.h"
#include "analysis/collectives/collectives.h"
#include "model/run/rank_model.h"
#include "model/spool/name_cache.h"
#include "model/spool/record_sink.h"

namespace syncline {

// A library of collectives puts a range of its domain around each of its calls, with the
// communicator in the payload (CollectiveWords). These ranges number a communicator's collectives,
// also those whose kernels have no record. The kernel is launched in that range, or, for calls
// between a group's start and end, in the range of the group's end. Memory: 40 bytes a kernel, 24 a
// call and a launch of the library's, capped. So it is with sends and receives, which are numbered
// by who is at the other end; those of a group are one kernel.
class CollectiveReader : public RecordSink {
 public:
  unsigned Interests() const override { return kRangesAfterCalls | kCalls | kDevices; }
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnRange(const RangeEvent& event) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;

  // After the reading: adds what was found. The run can be read and has a device timeline.
  void Finish(const ProgramRun& run, RankCollectives* out);

 private:
  struct Launch {
    uint64_t begin;  // ticks
    uint64_t key;    // KeyOf its call
    bool captured;   // into a graph: nothing was done
  };
  // A collective that the program asked for.
  struct Asked {
    uint64_t communicator;
    uint64_t begin;  // ticks
    uint32_t sequence;
    bool all;       // AllNeedAll
    bool in_graph;  // a launch of a graph, not a call of the library
  };
  // A send or receive that the program asked for.
  struct AskedMessage {
    uint64_t communicator;
    uint64_t begin;  // ticks
    uint32_t tid;
    uint32_t peer;
    uint32_t sequence;
    bool sends;
  };
  struct Thread {
    std::vector<Launch> launches;    // not in one of the library's ranges, as far as is known
    std::vector<uint32_t> pending;   // what was asked for in the group that has not ended
    std::vector<uint32_t> messages;  // the same of sends and receives
    uint32_t groups = 0;             // open
  };

  // What a kernel's name says about it.
  struct Kernel {
    std::optional<CollectiveKind> kind;
    std::optional<LeftOut> left_out;
  };

  static uint64_t KeyOf(Source source, uint32_t correlation) {
    return uint64_t{source} << 32 | correlation;
  }
  void Ask(Thread* thread, const RangeRecord& range, Asked asked);
  void EndGroup(Thread* thread, const RangeRecord& range);
  // Those launched in the range belong to what was asked for, or, without that, to nothing.
  // True: they were captured.
  bool Give(Thread* thread, const RangeRecord& range, std::optional<uint32_t> asked);
  void AskMessage(Thread* thread, const RangeRecord& range, const AskedMessage& asked);
  void GiveMessages(Thread* thread, const RangeRecord& range, std::vector<uint32_t> asked);
  void NumberMessages();
  void FinishMessages(const ProgramRun& run, RankCollectives* out);
  void TakeGraphs();
  Thread& ThreadOf(const Stream& stream);
  void NumberAsked();
  // Those whose kernels ran on several devices: the process is several of their ranks.
  std::set<uint64_t> CommunicatorsOfSeveralDevices() const;
  void CountLeftOut(LeftOut why) { ++left_out_[static_cast<size_t>(why)]; }

  std::unordered_map<uint32_t, Thread> threads_;  // by tid
  Thread* thread_ = nullptr;                      // of the stream seen last
  uint64_t thread_stream_ = 0;
  std::vector<Asked> asked_;
  std::unordered_map<uint64_t, uint32_t> launched_;  // KeyOf a call -> index of what was asked for
  NameCache<Kernel> kinds_;
  LeftOutCounts left_out_{};
  std::vector<Collective> kernels_;
  CapturedCollectives captured_;
  std::map<uint64_t, uint32_t> sizes_;  // of communicators
  std::map<uint64_t, uint32_t> own_;    // this rank's numbers in them
  std::vector<AskedMessage> messages_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> messages_of_;  // by KeyOf a call
  std::vector<Collective> message_kernels_;
};

}  // namespace syncline
