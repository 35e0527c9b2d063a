// SPDX-License-Identifier: Apache-2.0
// Stands in front of the two functions by which PyTorch's allocators tell its profiler. They are
// called with the allocator's lock held: no call of PyTorch's but the next function, and no lock.
#include "collectors/torch/memory_reports.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/core/call_stacks.h"
#include "inject/core/emit.h"
#include "inject/core/exported.h"
#include "inject/core/sys.h"

#define SYNCLINE_REPORT_MEMORY "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
#define SYNCLINE_REPORT_NO_MEMORY "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"

namespace syncline::torch {
namespace {

// A c10::Device is two bytes in a register: its type, and its number. What else is in the register
// has no meaning.
using DeviceWord = uint64_t;
constexpr uint8_t TypeOf(DeviceWord device) { return static_cast<uint8_t>(device); }
constexpr uint8_t NumberOf(DeviceWord device) { return static_cast<uint8_t>(device >> 8); }
constexpr uint8_t kCpu = 0;

using Report = void (*)(void*, int64_t, size_t, size_t, DeviceWord);
using ReportNone = void (*)(int64_t, size_t, size_t, DeviceWord);

std::atomic<bool> g_is_recorded;
std::atomic<Report> g_report;
std::atomic<ReportNone> g_report_none;

// Null: nobody shows it.
template <typename Function>
Function Next(std::atomic<Function>* known, const char* name) {
  Function next = known->load(std::memory_order_relaxed);
  if (__builtin_expect(next != nullptr, 1)) return next;
  const ErrnoKeeper keeper;
  next = reinterpret_cast<Function>(
      const_cast<void*>(Exported(OtherModuleThatShows(name), name)));  // NOLINT: code
  known->store(next, std::memory_order_relaxed);
  return next;
}

struct Totals {
  size_t allocated;
  size_t held;
};

__attribute__((noinline)) void Record(uint8_t flags, const void* block, int64_t bytes,
                                      const Totals& totals, DeviceWord device) {
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (IsClosedFor(log)) return;
  const uint64_t now = Ticks();
  // What is given back is known by whoever took it. May move the thread into a larger ring.
  const uint32_t stack = bytes > 0 ? CheapStack(log) : 0;
  char* const room = Reserve(log, sizeof(MemoryRecord));
  if (__builtin_expect(room == nullptr, 0)) return CountLoss(kLoss_ring_full);
  auto* const record = reinterpret_cast<MemoryRecord*>(room);
  record->head = {static_cast<uint8_t>(RecordKind::kMemory), flags,
                  sizeof(MemoryRecord) / kSlotBytes, stack};
  record->ticks = now;
  record->address = reinterpret_cast<uintptr_t>(block);
  record->bytes = bytes;
  record->allocated = totals.allocated;
  record->held = totals.held;
  record->device = NumberOf(device);
  record->device_type = TypeOf(device);
  record->source = SYNCLINE_SOURCE_torch;
  record->reserved = 0;
  record->reserved2 = 0;
  Publish(log, sizeof(MemoryRecord));
}

bool IsRecorded(DeviceWord device) {
  return TypeOf(device) != kCpu && g_is_recorded.load(std::memory_order_relaxed);
}

}  // namespace

void RecordMemory() { g_is_recorded.store(true, std::memory_order_relaxed); }

void FindMemoryReports() {
  Next(&g_report, SYNCLINE_REPORT_MEMORY);
  Next(&g_report_none, SYNCLINE_REPORT_NO_MEMORY);
}

// They may throw: nothing of ours is left when the next one is called.
extern "C" {
__attribute__((visibility("default"))) void ReportMemory(
    void* block, int64_t bytes, size_t allocated, size_t held,
    DeviceWord device) __asm__(SYNCLINE_REPORT_MEMORY);
__attribute__((visibility("default"))) void ReportNoMemory(
    int64_t bytes, size_t allocated, size_t held,
    DeviceWord device) __asm__(SYNCLINE_REPORT_NO_MEMORY);
}

void ReportMemory(void* block, int64_t bytes, size_t allocated, size_t held, DeviceWord device) {
  if (IsRecorded(device)) Record(0, block, bytes, {allocated, held}, device);
  const Report next = Next(&g_report, SYNCLINE_REPORT_MEMORY);
  if (next != nullptr) next(block, bytes, allocated, held, device);
}

void ReportNoMemory(int64_t bytes, size_t allocated, size_t held, DeviceWord device) {
  if (IsRecorded(device)) Record(kOutOfMemory, nullptr, bytes, {allocated, held}, device);
  const ReportNone next = Next(&g_report_none, SYNCLINE_REPORT_NO_MEMORY);
  if (next != nullptr) next(bytes, allocated, held, device);
}

}  // namespace syncline::torch
