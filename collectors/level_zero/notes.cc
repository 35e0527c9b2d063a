// SPDX-License-Identifier: Apache-2.0
// One function for each kind of note.
#include "collectors/level_zero/notes.h"

#include "collectors/level_zero/level_zero_source.h"
#include "inject/core/emit_device.h"

namespace syncline::level_zero {
namespace {

DeviceEventRecord NoteOf(DeviceEventType type, uint32_t id, uint32_t correlation) {
  return NewDeviceEvent(kSource, type, id, correlation);
}

void Write(const DeviceEventRecord& note) { EmitDeviceEvent(HookKind::kEnds, note); }

void WriteWait(DeviceEventRecord note, DeviceSyncKind kind, uint64_t begin) {
  note.detail = static_cast<uint8_t>(kind);
  note.begin = begin;
  note.end = SharedNow();
  Write(note);
}

constexpr uint32_t kNoEvent = UINT32_MAX;  // as readers take it

}  // namespace

void TellWaitFor(const Queue& queue, uint32_t correlation, uint64_t begin) {
  if (queue.device == nullptr) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kSync, kNoEvent, correlation);
  note.context = ContextIdOf(*queue.device);
  note.stream = queue.stream;
  WriteWait(note, DeviceSyncKind::kStream, begin);
}

void TellWaitFor(const Device& device, uint32_t correlation, uint64_t begin) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kSync, kNoEvent, correlation);
  note.context = ContextIdOf(device);
  WriteWait(note, DeviceSyncKind::kContext, begin);
}

void TellWaitFor(const Signal& signal, uint32_t correlation, uint64_t begin) {
  if (signal.id == 0) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kSync, signal.id, correlation);
  note.context = signal.context.load(std::memory_order_relaxed);
  WriteWait(note, DeviceSyncKind::kEvent, begin);
}

void TellSignal(Signal* signal, uint32_t correlation, const Queue& queue) {
  if (signal->id == 0 || queue.device == nullptr) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kEvent, signal->id, correlation);
  note.context = ContextIdOf(*queue.device);
  note.stream = queue.stream;
  signal->context.store(note.context, std::memory_order_relaxed);
  signal->was_asked.store(false, std::memory_order_relaxed);
  Write(note);
}

void TellQueueWaits(const Signal& signal, uint32_t correlation, const Queue& queue) {
  if (signal.id == 0 || queue.device == nullptr) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kSync, signal.id, correlation);
  note.context = ContextIdOf(*queue.device);
  note.stream = queue.stream;
  WriteWait(note, DeviceSyncKind::kStreamWaitEvent, SharedNow());
}

void TellQueue(const Queue& queue, const void* handle) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kStream, 0, 0);
  note.context = ContextIdOf(*queue.device);
  note.stream = queue.stream;
  note.detail = static_cast<uint8_t>(DeviceStreamKind::kNonBlocking);
  Write(note);
  note.type = DeviceEventType::kStreamHandle;
  note.detail = 0;
  note.address = reinterpret_cast<uintptr_t>(handle);
  Write(note);
}

void TellAllocation(uint32_t correlation, const void* address, const Allocation& memory,
                    bool taken) {
  if (memory.device == nullptr) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kAllocation, 0, correlation);
  note.begin = note.end = NowOf(*memory.device);
  note.address = reinterpret_cast<uintptr_t>(address);
  note.bytes = memory.bytes;
  note.device = NumberOf(*memory.device);
  note.context = ContextIdOf(*memory.device);
  note.detail = taken ? 1 : 2;
  note.memory = memory.kind;
  Write(note);
}

void TellBuild(uint32_t correlation, uint64_t begin) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kOverhead, 0, correlation);
  note.begin = begin;
  note.end = SharedNow();
  note.detail = static_cast<uint8_t>(DeviceOverheadKind::kCompiler);
  note.tid = SysTid();
  Write(note);
}

}  // namespace syncline::level_zero
