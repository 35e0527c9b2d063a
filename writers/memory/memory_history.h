// SPDX-License-Identifier: Apache-2.0
// run/rank-N.memory: each block that a rank's allocators gave out and got back, there and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "writers/files/byte_sink.h"

namespace syncline {

enum class MemoryAction : uint8_t { kTake, kGiveBack, kOutOfMemory };

struct MemoryFrame {
  std::string file;
  uint32_t line = 0;  // 0: unknown
  std::string function;
  bool operator==(const MemoryFrame&) const = default;
};

struct MemoryEvent {
  MemoryAction action = MemoryAction::kTake;
  uint32_t device = 0;
  uint32_t stack = 0;  // in MemoryHistory::stacks, from 1; 0: none
  uint64_t time_ns = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;  // that could not be had, too
  uint64_t held = 0;   // bytes that the allocator had of its driver, after that
  bool operator==(const MemoryEvent&) const = default;
};

struct MemoryHistory {
  int32_t pid = 0;
  std::string program;
  std::vector<std::vector<MemoryFrame>> stacks;  // the innermost frame first
  std::vector<MemoryEvent> events;               // of each device in their order
};

// A line of text for each thing, in the order of the calls: "P 4711 python3", "S" and a list of
// frames as JSON, "E" and numbers. What belongs to a process stands behind its P.
class MemoryHistoryWriter {
 public:
  explicit MemoryHistoryWriter(ByteSink* out) : out_(out) {}
  void Process(int32_t pid, std::string_view program);
  // The number of the stack.
  uint32_t Stack(const std::vector<MemoryFrame>& frames);
  void Event(const MemoryEvent& event);
  Status Finish();

 private:
  void Flush(size_t from);

  ByteSink* const out_;
  std::string text_;
  bool begun_ = false;
  uint32_t stacks_ = 0;
  Status status_;
};

// The processes of the file. Not ok: it cannot be read, or is damaged; what came before is there.
Status ReadMemoryHistory(const std::string& path, std::vector<MemoryHistory>* processes);

}  // namespace syncline
