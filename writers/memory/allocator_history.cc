// SPDX-License-Identifier: Apache-2.0
// What the driver gave is known by the source that has the devices.
#include "writers/memory/allocator_history.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint8_t kTaken = 1;  // DeviceEventRecord::detail of kAllocation
constexpr uint32_t kMostDevice = 1024;

}  // namespace

void AllocatorHistory::Add(const Event& event) {
  if (events_.size() >= most_ || event.device >= kMostDevice) {
    ++left_out_;
    return;
  }
  events_.push_back(event);
}

uint32_t AllocatorHistory::StackOf(const Stream& stream) {
  const CodeStack* const stack = stream.stack();
  if (stack == nullptr) return kNoStack;
  const auto known = stack_numbers_.find(stack);
  if (known != stack_numbers_.end()) return known->second;
  if (stacks_.size() >= kMostStacks) return kNoStack;
  std::vector<Frame>& frames = stacks_.emplace_back();
  for (const CodeStack::Frame* frame : stack->frames) {
    if (frame->kind != FrameKind::kPython && frame->kind != FrameKind::kNative) continue;
    frames.emplace_back(frame->file.empty() ? frame->module : frame->file, frame->function,
                        frame->line);
  }
  return stack_numbers_[stack] = static_cast<uint32_t>(stacks_.size());
}

void AllocatorHistory::OnMemory(Stream& stream, const MemoryRecord& record) {
  Event event{};
  event.at_ns = run_->timeline.Convert(record.ticks);
  event.address = record.address;
  event.bytes = record.bytes < 0 ? 0 - static_cast<uint64_t>(record.bytes)
                                 : static_cast<uint64_t>(record.bytes);
  event.device = record.device;
  event.stack = StackOf(stream);
  event.action = (record.head.flags & kOutOfMemory) != 0 ? Action::kNone
                 : record.bytes < 0                      ? Action::kGive
                                                         : Action::kTake;
  ++blocks_;
  Add(event);
}

void AllocatorHistory::OnDeviceEvent(Stream& /*stream*/, const DeviceEventRecord& note) {
  if (note.type != DeviceEventType::kAllocation || note.memory != MemoryKind::kDevice) return;
  const SourceRun* const source = run_->sources.Find(note.source);
  if (source == nullptr || !source->clocks.valid()) return;
  Event event{};
  event.at_ns = source->clocks.Of(note.device).Convert(note.begin);
  event.address = note.address;
  event.bytes = note.bytes;
  event.device = note.device;
  event.action = note.detail == kTaken ? Action::kSegment : Action::kSegmentGone;
  Add(event);
}

void AllocatorHistory::Finish() {
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
}

}  // namespace syncline
