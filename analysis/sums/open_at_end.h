// SPDX-License-Identifier: Apache-2.0
// How a process ended before its time, and what was open on its threads then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "model/run/code_location.h"
#include "model/run/rank_model.h"
#include "model/spool/record_sink.h"

namespace syncline {

// Whether a signal ended it, or it gave a status that says that it failed. A process that recorded
// nothing may give any status. Nobody may have seen how it ended, but that it did not exit. Who
// ends its workers by a signal, and then ends well, meant to.
bool EndedEarly(const ProgramRun& run, const RankModel& model);
// False: nobody saw how it ended. Then it is worth a word only if something was open.
inline bool IsToldAnyway(const ProgramRun& run) { return run.exit.kind != ExitKind::kUnknown; }
// Without what was open, which a reading tells.
ProcessEnding EndingOf(const ProgramRun& run);

// Sink of one reading of a run that ended early. One thread. Memory: that of the open ranges, and
// of started ones.
class OpenAtEnd : public RecordSink {
 public:
  OpenAtEnd(ProgramRun* run, const OwnCode& own) : run_(run), places_(own) {}

  unsigned Interests() const override { return kRanges | kCalls | kStacks; }
  void OnOpenRange(const RangeEvent& event) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;

  bool any() const { return !threads_.empty(); }
  // After the reading. Of the thread that was in a call, else of the main one, else of that which
  // began something last.
  void FillIn(ProcessEnding* ending) const;

 private:
  struct Thread {
    bool main = false;
    std::vector<std::string> ranges;  // the innermost first
    uint64_t begin_ns = 0;            // of the innermost
    uint64_t call_ns = 0;             // when the call began; 0: it is in none
    std::string call;
    std::string where;
  };

  Thread& ThreadOf(const Stream& stream);

  ProgramRun* const run_;
  CodeLocations places_;
  std::map<uint32_t, Thread> threads_;
};

}  // namespace syncline
