// SPDX-License-Identifier: Apache-2.0
// Reads from a spool which collectives a process asked for by a framework's operators, whatever
// library moves the data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/findings/collective.h"
#include "model/findings/operator_collective.h"
#include "model/run/rank_model.h"
#include "model/spool/record_sink.h"

namespace syncline {

// The number of a group: equal in all its ranks. Messages of each tag have one of their own.
uint64_t CommunicatorOf(const OperatorCollective& call);
// What such an operator does; nothing: it is none.
std::optional<OperatorCollective> CollectiveOf(const RangeEvent& event);

// A rank comes when its operator begins. Its part is done when the start/end ranges are over that a
// library began in the operator; without any nobody knows. An operator in which a library of
// collectives has ranges of its own is left to these. Memory: 80 bytes an operator, 16 a range.
class OperatorCollectives : public RecordSink {
 public:
  unsigned Interests() const override { return kOperators | kRanges; }
  void OnOperator(const RangeEvent& event) override { Ask(event); }
  void OnOpenOperator(const RangeEvent& event) override { Ask(event); }
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;

  // After the reading: adds what was found.
  void Finish(ProgramRun* run, RankCollectives* out);

 private:
  struct Asked {
    uint64_t communicator;
    uint64_t begin, end;  // ticks; 0: not known
    uint64_t bytes;
    uint32_t tid;
    uint32_t operation;  // in `operations_`, from 1
    uint32_t peer;
    std::optional<CollectiveKind> kind;  // nothing: a message
    bool sends;
  };
  struct Started {
    uint64_t id, begin;
  };
  struct Thread {
    std::vector<Started> started;  // behind its last operator of this kind
    uint64_t library_begin = 0;    // of the last range of a library of collectives
  };

  void Ask(const RangeEvent& event);
  uint32_t OperationOf(const OperatorCollective& call);
  // By time, whatever the thread.
  std::vector<uint32_t> Order() const;
  void TakeEnds();

  std::unordered_map<uint64_t, Thread> threads_;  // by stream
  std::vector<Asked> asked_;
  std::vector<std::pair<uint64_t, uint32_t>> ranges_;  // id, and whose it is in `asked_`
  std::unordered_map<uint64_t, uint64_t> ends_;        // of start/end ranges, by id
  std::map<CollectiveOperation, uint32_t> operations_;
  std::map<uint64_t, OperatorCollective> groups_;  // by communicator: one of its calls
  bool from_anybody_ = false;                      // it receives from whoever sends
  bool full_ = false;
};

}  // namespace syncline
