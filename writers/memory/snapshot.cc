// SPDX-License-Identifier: Apache-2.0
// First the segments with what stands in them in the end, then what happened, device by device.
#include "writers/memory/snapshot.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "writers/memory/pickle.h"

namespace syncline {
namespace {

using Action = AllocatorHistory::Action;
using Event = AllocatorHistory::Event;

constexpr uint64_t kSmallSegment = 2 << 20;  // PyTorch's segments for small blocks

struct Segment {
  uint64_t bytes = 0;
  bool had_block = false;  // else it is not the allocator's
  bool is_seen = false;    // the driver gave it; false: made up for one block
};

struct Device {
  std::map<uint64_t, Segment> segments;     // by address
  std::map<uint64_t, const Event*> blocks;  // that stand in the end
  std::vector<const Event*> events;

  // Null: none holds the address.
  Segment* Around(uint64_t address) {
    const auto after = segments.upper_bound(address);
    if (after == segments.begin()) return nullptr;
    const auto found = std::prev(after);
    return address - found->first < found->second.bytes ? &found->second : nullptr;
  }

  void Follow(const Event& event) {
    events.push_back(&event);
    switch (event.action) {
      case Action::kSegment:
        segments[event.address] = {event.bytes, false, true};
        return;
      case Action::kSegmentGone:
        segments.erase(event.address);
        return;
      case Action::kTake:
        blocks[event.address] = &event;
        if (Segment* around = Around(event.address)) around->had_block = true;
        return;
      case Action::kGive:
        blocks.erase(event.address);
        return;
      case Action::kNone:
        return;
    }
  }

  void MakeUpSegments() {
    std::erase_if(segments, [](const auto& segment) { return !segment.second.had_block; });
    for (const auto& [address, block] : blocks) {
      if (Around(address) == nullptr) segments[address] = {block->bytes, true, false};
    }
  }
};

class SnapshotWriter {
 public:
  SnapshotWriter(const AllocatorHistory& history, ByteSink* out) : history_(history), out_(out) {
    frames_.resize(history.stacks().size() + 1, kUnwritten);
    for (const Event& event : history.events()) {
      if (event.device >= devices_.size()) devices_.resize(event.device + 1);
      devices_[event.device].Follow(event);
    }
    for (Device& device : devices_) device.MakeUpSegments();
  }

  Status Write() {
    out_.BeginDict();
    out_.Text("segments");
    out_.BeginList();
    for (size_t number = 0; number < devices_.size(); ++number) WriteSegments(number);
    out_.EndList();
    out_.Text("device_traces");
    out_.BeginList();
    for (const Device& device : devices_) WriteTrace(device);
    out_.EndList();
    out_.Text("allocator_settings");
    out_.BeginDict();
    out_.EndDict();
    out_.Text("external_annotations");
    out_.BeginList();
    out_.EndList();
    out_.Key("syncline_events_left_out", history_.left_out());
    out_.EndDict();
    return out_.Finish();
  }

 private:
  static constexpr uint32_t kUnwritten = UINT32_MAX;

  void Frames(uint32_t stack) {
    out_.Text("frames");
    uint32_t& written = frames_[stack];
    if (written != kUnwritten) return out_.Again(written);
    out_.BeginList();
    if (stack != AllocatorHistory::kNoStack) {
      for (const auto& [file, function, line] : history_.stacks()[stack - 1]) {
        out_.BeginDict();
        out_.Key("filename", file);
        out_.Key("name", function);
        out_.Key("line", line);
        out_.EndDict();
      }
    }
    out_.EndList();
    written = out_.Remember();
  }

  void WriteBlock(uint64_t address, uint64_t bytes, const char* state, uint32_t stack) {
    out_.BeginDict();
    out_.Key("address", address);
    out_.Key("size", bytes);
    out_.Key("requested_size", bytes);
    out_.Key("state", state);
    Frames(stack);
    out_.EndDict();
  }

  // The blocks of a segment, and what is between them. Returns how much the blocks have.
  uint64_t WriteBlocks(const Device& device, uint64_t begin, uint64_t end, bool writes) {
    uint64_t at = begin, active = 0;
    for (auto block = device.blocks.lower_bound(begin);
         block != device.blocks.end() && block->first < end; ++block) {
      const uint64_t bytes = std::min(block->second->bytes, end - block->first);
      active += bytes;
      if (writes && block->first > at)
        WriteBlock(at, block->first - at, "inactive", AllocatorHistory::kNoStack);
      if (writes) WriteBlock(block->first, bytes, "active_allocated", block->second->stack);
      at = std::max(at, block->first + bytes);
    }
    if (writes && at < end) WriteBlock(at, end - at, "inactive", AllocatorHistory::kNoStack);
    return active;
  }

  void WriteSegments(size_t number) {
    const Device& device = devices_[number];
    for (const auto& [address, segment] : device.segments) {
      const uint64_t end = address + segment.bytes;
      const uint64_t active = WriteBlocks(device, address, end, false);
      out_.BeginDict();
      out_.Key("device", uint64_t{number});
      out_.Key("address", address);
      out_.Key("total_size", segment.bytes);
      out_.Key("allocated_size", active);
      out_.Key("active_size", active);
      out_.Key("requested_size", active);
      out_.Key("stream", uint64_t{0});
      out_.Key("segment_type", segment.bytes <= kSmallSegment ? "small" : "large");
      out_.Text("is_expandable");
      out_.Bool(false);
      Frames(AllocatorHistory::kNoStack);
      out_.Text("blocks");
      out_.BeginList();
      WriteBlocks(device, address, end, true);
      out_.EndList();
      out_.EndDict();
    }
  }

  void WriteEvent(const Event& event, const char* action) {
    out_.BeginDict();
    out_.Key("action", action);
    if (event.action == Action::kNone) {
      out_.Key("device_free", uint64_t{0});
    } else {
      out_.Key("addr", event.address);
    }
    out_.Key("size", event.bytes);
    out_.Key("stream", uint64_t{0});
    out_.Key("time_us", event.at_ns / 1000);
    Frames(event.stack);
    out_.EndDict();
  }

  // What the driver gave to others than the allocator is left out as far as it is known.
  void WriteTrace(const Device& device) {
    out_.BeginList();
    for (const Event* event : device.events) {
      switch (event->action) {
        case Action::kTake:
          WriteEvent(*event, "alloc");
          break;
        case Action::kGive:
          WriteEvent(*event, "free_requested");
          WriteEvent(*event, "free_completed");
          break;
        case Action::kNone:
          WriteEvent(*event, "oom");
          break;
        case Action::kSegment:
          WriteEvent(*event, "segment_alloc");
          break;
        case Action::kSegmentGone:
          WriteEvent(*event, "segment_free");
          break;
      }
    }
    out_.EndList();
  }

  const AllocatorHistory& history_;
  Pickle out_;
  std::vector<Device> devices_;
  std::vector<uint32_t> frames_;  // by stack
};

}  // namespace

Status WriteSnapshot(const AllocatorHistory& history, ByteSink* out) {
  return SnapshotWriter(history, out).Write();
}

}  // namespace syncline
