// SPDX-License-Identifier: Apache-2.0
// What one process's allocator did, event by event, with stacks: from the second reading of its
// spool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/run/rank_model.h"
#include "model/spool/record_sink.h"

namespace syncline {

// One thread. Memory: 40 bytes an event, at most kMostEvents, and the stacks.
class AllocatorHistory : public RecordSink {
 public:
  static constexpr size_t kMostEvents = 1 << 20;  // and `most`
  static constexpr size_t kMostStacks = 1 << 16;
  static constexpr uint32_t kNoStack = 0;

  enum class Action : uint8_t { kTake, kGive, kNone, kSegment, kSegmentGone };
  struct Event {
    uint64_t at_ns;
    uint64_t address;
    uint64_t bytes;
    uint32_t device;
    uint32_t stack;  // from 1, in stacks()
    Action action;
  };
  using Frame = std::tuple<std::string, std::string, uint32_t>;  // file, function, line

  AllocatorHistory(ProgramRun* run, size_t most)
      : run_(run), most_(most < kMostEvents ? most : kMostEvents) {}

  unsigned Interests() const override { return kMemory | kDevices | kStacks; }
  void OnMemory(Stream& stream, const MemoryRecord& record) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;

  // When all was read: by time.
  void Finish();

  size_t blocks() const { return blocks_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<std::vector<Frame>>& stacks() const { return stacks_; }  // innermost first
  uint64_t left_out() const { return left_out_; }

 private:
  uint32_t StackOf(const Stream& stream);
  void Add(const Event& event);

  ProgramRun* const run_;
  const size_t most_;
  std::vector<Event> events_;
  size_t blocks_ = 0;
  uint64_t left_out_ = 0;
  std::vector<std::vector<Frame>> stacks_;
  std::unordered_map<const CodeStack*, uint32_t> stack_numbers_;
};

}  // namespace syncline
