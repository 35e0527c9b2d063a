// SPDX-License-Identifier: Apache-2.0
// Reads from a spool which collectives a process asked for by a framework's operators, whatever
// library moves the data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// A rank comes when its operator begins. Its part is done when the start/end range is over that the
// library which moves the data has for it, on whichever thread: of each name there are as many as
// operators, in their order; otherwise nobody knows. The thread may have waited until it began its
// next operator. An operator in which a library of collectives has ranges of its own is left to
// these. Memory: 104 bytes an operator, 24 a range.
class OperatorCollectives : public RecordSink {
 public:
  unsigned Interests() const override { return kOperators | kRanges; }
  void OnOperator(const RangeEvent& event) override { See(event); }
  void OnOpenOperator(const RangeEvent& event) override { See(event); }
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;

  // After the reading: adds what was found.
  void Finish(ProgramRun* run, RankCollectives* out);

 private:
  struct Asked {
    uint64_t communicator;
    uint64_t begin, end;  // ticks; 0: not known
    uint64_t goes_on;     // ticks: the thread's next operator; UINT64_MAX: none
    std::string_view range;
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
    uint64_t library_begin = 0;  // of the last range of a library of collectives
    uint32_t last = UINT32_MAX;  // in `asked_`
    uint64_t last_end = 0;       // of that operator
  };

  void See(const RangeEvent& event);
  void Ask(const RangeEvent& event);
  uint32_t OperationOf(const OperatorCollective& call);
  // By time, whatever the thread.
  std::vector<uint32_t> Order() const;
  void TakeEnds();

  std::unordered_map<uint64_t, Thread> threads_;  // by stream
  std::vector<Asked> asked_;
  std::map<std::string, std::vector<Started>, std::less<>> started_;  // by name, behind its ':'
  std::unordered_map<uint64_t, uint64_t> ends_;                       // of start/end ranges, by id
  std::map<CollectiveOperation, uint32_t> operations_;
  std::map<uint64_t, OperatorCollective> groups_;  // by communicator: one of its calls
  bool from_anybody_ = false;                      // it receives from whoever sends
  bool full_ = false;
};

}  // namespace syncline
