// SPDX-License-Identifier: Apache-2.0
// Blocks that a process's allocators gave out and got back, each with its line, operator and phase
// of a training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/devices/coverage_gaps.h"
#include "model/run/code_location.h"
#include "model/run/memory_log.h"
#include "model/run/rank_model.h"
#include "model/spool/record_sink.h"

namespace syncline {

enum class TrainingPhase : uint8_t { kOther, kBackward, kOptimizer };

// Times are nanoseconds on the job's line.
struct MemoryEvent {
  uint64_t at_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // negative: given back
  uint64_t allocated = 0;
  uint64_t held = 0;
  uint64_t phase_end_ns = 0;  // of the phase
  uint32_t where = 0;         // number of a text
  uint32_t operation = 0;     // of the outermost operator
  uint32_t tid = 0;
  TrainingPhase phase = TrainingPhase::kOther;
  bool is_out_of_memory = false;
};

// Sink of the second reading. Ranges of a thread come in the order of their ends: what happened
// within one came before it. One thread. Memory: 80 bytes an event, at most `most` of them.
class MemoryEvents : public RecordSink {
 public:
  MemoryEvents(ProgramRun* run, const OwnCode& own, size_t most)
      : run_(run), places_(own), most_(most) {}

  unsigned Interests() const override { return kMemory | kRanges | kOperators | kStacks; }
  void OnMemory(Stream& stream, const MemoryRecord& record) override;
  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  void OnOpenOperator(const RangeEvent& event) override;

  // When all was read. By device, in the order of time.
  using Devices = std::map<MemoryLog::Device, std::vector<MemoryEvent>>;
  Devices TakeFinished(const std::vector<uint32_t>& helpers);

  const std::string& TextOf(uint32_t number) const { return *texts_[number]; }
  // The times of backward, one after another: those within another one are its part.
  const std::vector<CoverageGap>& backward() const { return backward_; }
  // When optimizers' steps ended, in order.
  const std::vector<uint64_t>& optimizer_ends() const { return optimizer_ends_; }
  // "step 2 > forward": around the n-th event for which there was no memory, by its time.
  std::string RangesAt(uint64_t out_of_memory_ns) const;
  uint64_t left_out() const { return left_out_; }

 private:
  struct Kept {
    MemoryEvent event;
    MemoryLog::Device device;
  };
  struct Around {
    uint64_t begin_ns;
    std::string name;
  };

  void AddRange(const RangeEvent& event, uint64_t end_ns);
  void AddOperator(const RangeEvent& event);
  uint32_t NumberOf(std::string_view text);
  // Calls `mark` with each event of the thread from a moment on.
  template <typename Mark>
  void ForEachSince(const Stream& stream, uint64_t begin_ns, const Mark& mark);
  void JoinBackward();
  void MarkHelped(const std::vector<uint32_t>& helpers);

  ProgramRun* const run_;
  CodeLocations places_;
  const size_t most_;
  uint64_t left_out_ = 0;
  std::vector<Kept> events_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> of_streams_;  // places in events_
  std::map<std::string, uint32_t, std::less<>> numbers_{{"", 0}};
  std::vector<const std::string*> texts_{&numbers_.begin()->first};
  std::vector<CoverageGap> backward_;
  std::vector<uint64_t> optimizer_ends_;
  std::map<uint64_t, std::vector<Around>> around_;  // by the time of what had no memory
};

}  // namespace syncline
