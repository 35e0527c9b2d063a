// SPDX-License-Identifier: Apache-2.0
// Keeps the push/pop ranges in which a process called a GPU's runtime or driver.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run/survey.h"
#include "model/spool/record_sink.h"

namespace syncline {

struct RangeLabel {
  std::string name;
  std::string domain;  // empty: the default domain
};

// Times are ticks.
struct LoggedRange {
  uint64_t begin;
  uint64_t end;   // UINT64_MAX: it never ended
  uint32_t nest;  // ranges of one nest lie in each other or apart
  uint32_t label;

  // A thread's nests: its ranges, and those of each domain that cross them.
  static constexpr uint32_t kNestsOfThread = 1 + kMostCrossingDomains;
  uint32_t thread() const { return nest / kNestsOfThread; }
};

// Fed by the first reading, after the Survey. 24 bytes a range: ranges in which nothing was called
// are not kept, so that memory does not grow with what only annotates.
class RangeLog : public RecordSink {
 public:
  // `room`: how many more ranges may be kept, by all logs that share it; what comes later is left
  // out.
  RangeLog(const Survey& survey, std::shared_ptr<uint64_t> room)
      : survey_(survey), room_(std::move(room)) {}

  unsigned Interests() const override { return kRangesAfterCalls | kCalls; }
  void OnStream(Stream& stream, const StreamRecord& record) override;
  void OnRange(const RangeEvent& event) override { Keep(event, event.record.end); }
  void OnOpenRange(const RangeEvent& event) override { Keep(event, UINT64_MAX); }
  void OnCall(Stream& stream, const CallRecord& call) override;

  // Makes a thread known.
  uint32_t AddThread(uint32_t tid);

  // Null: nothing is known of the thread. Otherwise its number in LoggedRange::thread.
  const uint32_t* ThreadOf(uint32_t tid) const;
  uint32_t TidOf(uint32_t thread) const { return thread < tids_.size() ? tids_[thread] : 0; }

  std::vector<LoggedRange> ranges;  // an inner one before the one around it
  std::vector<RangeLabel> labels;
  uint64_t left_out = 0;  // beyond the caps

 private:
  struct Thread {
    uint32_t index;
    uint64_t last_call = 0;  // ticks
    // The thread changed its ring then: calls of before may still come from the old one. Ticks.
    uint64_t moved = 0;
  };

  Thread& ThreadOf(const Stream& stream);
  void Keep(const RangeEvent& event, uint64_t end);
  bool LabelOf(const RangeEvent& event, uint32_t* label);
  uint32_t NestOf(const Thread& thread, const RangeEvent& event) const;

  const Survey& survey_;
  std::shared_ptr<uint64_t> room_;
  std::unordered_map<uint32_t, Thread> threads_;  // by tid
  std::vector<uint32_t> tids_;                    // by LoggedRange::thread
  Thread* thread_ = nullptr;                      // of the stream seen last
  uint64_t thread_stream_ = 0;
  std::map<std::pair<std::string, std::string>, uint32_t> label_numbers_;
  std::map<std::pair<uint64_t, uint16_t>, uint32_t> label_cache_;  // by a stream's ids
  uint64_t label_bytes_ = 0;
};

}  // namespace syncline
