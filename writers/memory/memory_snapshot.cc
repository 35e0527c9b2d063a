// SPDX-License-Identifier: Apache-2.0
// Segments are found on the way through the events, in whose order all is written.
#include "writers/memory/memory_snapshot.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "writers/memory/pickle_writer.h"

namespace syncline {
namespace {

constexpr uint64_t kNsPerUs = 1000;

struct Block {
  uint64_t bytes;
  uint32_t stack;
};
// Blocks by address, segments by begin.
struct Device {
  std::map<uint64_t, Block> blocks;
  std::map<uint64_t, uint64_t> segments;
  uint64_t held = 0;
};

class SnapshotWriter {
 public:
  SnapshotWriter(const MemoryHistory& history, ByteSink* out)
      : history_(history), pickle_(out), stacks_(history.stacks.size() + 1, kNotKept) {}

  Status Write() {
    pickle_.BeginDict();
    pickle_.Key("device_traces");
    WriteTraces();
    pickle_.Key("segments");
    WriteSegments();
    pickle_.EndDict();
    return pickle_.Finish();
  }

 private:
  static constexpr uint32_t kNotKept = UINT32_MAX;

  void WriteTraces() {
    uint32_t devices = 0;
    for (const MemoryEvent& event : history_.events) devices = std::max(devices, event.device + 1);
    devices_.resize(devices);
    pickle_.BeginList();
    for (uint32_t number = 0; number < devices; ++number) {
      pickle_.BeginList();
      for (const MemoryEvent& event : history_.events) {
        if (event.device == number) AddEvent(event, &devices_[number]);
      }
      pickle_.EndList();
    }
    pickle_.EndList();
  }

  void AddEvent(const MemoryEvent& event, Device* device) {
    if (event.held < device->held) GiveBackSegments(event, device);
    switch (event.action) {
      case MemoryAction::kTake:
        AddSegment(event, device);
        Entry("alloc", event, event.address, event.bytes, event.stack);
        device->blocks[event.address] = {event.bytes, event.stack};
        break;
      case MemoryAction::kGiveBack:
        Entry("free_requested", event, event.address, event.bytes, event.stack);
        Entry("free_completed", event, event.address, event.bytes, event.stack);
        device->blocks.erase(event.address);
        break;
      case MemoryAction::kOutOfMemory:
        Entry("oom", event, 0, event.bytes, event.stack);
        break;
    }
    device->held = event.held;
  }

  // A block that lies in none is the first one of its own.
  void AddSegment(const MemoryEvent& event, Device* device) {
    const auto behind = device->segments.upper_bound(event.address);
    if (behind != device->segments.begin()) {
      const auto& [begin, bytes] = *std::prev(behind);
      if (event.address + event.bytes <= begin + bytes) return;
    }
    const uint64_t grown = event.held > device->held ? event.held - device->held : 0;
    const uint64_t bytes = std::max(grown, event.bytes);
    device->segments[event.address] = bytes;
    Entry("segment_alloc", event, event.address, bytes, event.stack);
  }

  static bool IsEmpty(const Device& device, uint64_t begin, uint64_t bytes) {
    const auto next = device.blocks.lower_bound(begin);
    return next == device.blocks.end() || next->first >= begin + bytes;
  }

  // The largest that are empty and fit: the allocator gives back all that it can.
  void GiveBackSegments(const MemoryEvent& event, Device* device) {
    std::vector<std::pair<uint64_t, uint64_t>> empty;  // bytes, begin
    for (const auto& [begin, bytes] : device->segments) {
      if (IsEmpty(*device, begin, bytes)) empty.emplace_back(bytes, begin);
    }
    std::sort(empty.rbegin(), empty.rend());
    uint64_t rest = device->held - event.held;
    for (const auto& [bytes, begin] : empty) {
      if (bytes > rest) continue;
      rest -= bytes;
      device->segments.erase(begin);
      Entry("segment_free", event, begin, bytes, 0);
    }
  }

  void Entry(std::string_view action, const MemoryEvent& event, uint64_t address, uint64_t bytes,
             uint32_t stack) {
    pickle_.BeginDict();
    pickle_.Key("action");
    pickle_.Key(action);
    Number(event.action == MemoryAction::kOutOfMemory ? "device_free" : "addr", address);
    Number("size", bytes);
    Number("stream", 0);
    Number("time_us", event.time_ns / kNsPerUs);
    Frames(stack);
    pickle_.EndDict();
  }

  void Number(std::string_view key, uint64_t value) {
    pickle_.Key(key);
    pickle_.Int(static_cast<int64_t>(value));
  }

  void Frames(uint32_t stack) {
    pickle_.Key("frames");
    if (stacks_[stack] != kNotKept) return pickle_.Again(stacks_[stack]);
    pickle_.BeginList();
    if (stack != 0) {
      for (const MemoryFrame& frame : history_.stacks[stack - 1]) {
        pickle_.BeginDict();
        pickle_.Key("filename");
        pickle_.Key(frame.file);
        Number("line", frame.line);
        pickle_.Key("name");
        pickle_.Key(frame.function);
        pickle_.EndDict();
      }
    }
    pickle_.EndList();
    stacks_[stack] = pickle_.Keep();
  }

  void WriteSegments() {
    pickle_.BeginList();
    for (uint32_t number = 0; number < devices_.size(); ++number) {
      for (const auto& [begin, bytes] : devices_[number].segments)
        WriteSegment(number, begin, bytes);
    }
    pickle_.EndList();
  }

  void WriteSegment(uint32_t number, uint64_t begin, uint64_t bytes) {
    const std::map<uint64_t, Block>& blocks = devices_[number].blocks;
    uint64_t active = 0;
    for (auto at = blocks.lower_bound(begin); at != blocks.end() && at->first < begin + bytes; ++at)
      active += at->second.bytes;
    pickle_.BeginDict();
    Number("device", number);
    Number("address", begin);
    Number("total_size", bytes);
    Number("allocated_size", active);
    Number("active_size", active);
    Number("requested_size", active);
    Number("stream", 0);
    pickle_.Key("segment_type");
    pickle_.Key(bytes <= kSmallSegment ? "small" : "large");
    Frames(0);
    pickle_.Key("blocks");
    WriteBlocks(blocks, begin, bytes);
    pickle_.EndDict();
  }

  void WriteBlocks(const std::map<uint64_t, Block>& blocks, uint64_t begin, uint64_t bytes) {
    uint64_t at = begin;
    pickle_.BeginList();
    for (auto block = blocks.lower_bound(begin);
         block != blocks.end() && block->first < begin + bytes; ++block) {
      if (block->first > at) WriteBlock("inactive", at, block->first - at, 0);
      WriteBlock("active_allocated", block->first, block->second.bytes, block->second.stack);
      at = block->first + block->second.bytes;
    }
    if (at < begin + bytes) WriteBlock("inactive", at, begin + bytes - at, 0);
    pickle_.EndList();
  }

  void WriteBlock(std::string_view state, uint64_t address, uint64_t bytes, uint32_t stack) {
    pickle_.BeginDict();
    Number("address", address);
    Number("size", bytes);
    Number("requested_size", bytes);
    pickle_.Key("state");
    pickle_.Key(state);
    Frames(stack);
    pickle_.EndDict();
  }

  // Of PyTorch's allocator (c10/core/AllocatorConfig.h): kSmallBuffer.
  static constexpr uint64_t kSmallSegment = 2 << 20;

  const MemoryHistory& history_;
  PickleWriter pickle_;
  std::vector<uint32_t> stacks_;  // by number: as they are kept
  std::vector<Device> devices_;
};

}  // namespace

Status WriteMemorySnapshot(const MemoryHistory& history, ByteSink* out) {
  return SnapshotWriter(history, out).Write();
}

}  // namespace syncline
