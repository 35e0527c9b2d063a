// SPDX-License-Identifier: Apache-2.0
// The functions that syncline.h calls. errno stays the caller's.
#include <atomic>

#include "collectors/program/regions.h"
#include "collectors/program/syncline.h"
#include "inject/core/collector.h"
#include "inject/core/device_times.h"
#include "inject/core/emit.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"

namespace syncline::program {
namespace {

enum class Presence : uint8_t { kUnknown, kOff, kOn };
std::atomic<Presence> g_presence;  // relaxed: whoever looks finds the same

bool Records() {
  const Presence known = g_presence.load(std::memory_order_relaxed);
  if (__builtin_expect(known != Presence::kUnknown, 1)) return known == Presence::kOn;
  const bool wanted = CollectorEnabled("program");
  const bool records = wanted && RecordingAllowed();
  if (!wanted) TellLeftOut(SYNCLINE_SOURCE_program);
  g_presence.store(records ? Presence::kOn : Presence::kOff, std::memory_order_relaxed);
  return records;
}

int Pause(bool pauses) {
  const ErrnoKeeper keeper;
  if (!Records()) return 0;
  const HookScope scope;
  if (!scope) return 0;
  if (SetPaused(scope.log(), pauses)) return 1;
  static std::atomic<bool> told;
  if (!told.exchange(true))
    Log(LogLevel::kWarn,
        "the program asked to pause or resume the recording, which takes --gate program");
  return 0;
}

syncline_region BeginRegion(const char* name, const syncline_label* labels, size_t count,
                            uint32_t flags) {
  if (!Records()) return {0, 0};
  const ErrnoKeeper keeper;
  if (name == nullptr) name = "(no name)";
  const uint64_t begin_ns = MonotonicNs();
  const bool times_devices = (flags & SYNCLINE_DEVICE_TIME) != 0;
  const uint64_t id = (flags & SYNCLINE_ANY_THREAD) != 0
                          ? BeginAnywhere(name, labels, count)
                          : Begin(name, labels, count, times_devices);
  return {id, begin_ns};
}

uint64_t EndRegion(syncline_region region) {
  const ErrnoKeeper keeper;
  if (region.id != 0) End(region.id);
  return region.begin_ns == 0 ? 0 : MonotonicNs() - region.begin_ns;
}

uint32_t DeviceTimeNow(syncline_region region, uint64_t* busy_ns) {
  const ErrnoKeeper keeper;
  const DeviceTime time = DeviceTimeOf(region.id);
  if (busy_ns != nullptr) *busy_ns = time.busy_ns;
  return static_cast<uint32_t>(time.state);
}

void Flush() {
  const ErrnoKeeper keeper;
  if (!Records()) return;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (kCollectors[i]->deliver != nullptr && CollectorEnabled(kCollectors[i]->name))
      kCollectors[i]->deliver();
  }
}

const char* OutputDirectory() {
  const ErrnoKeeper keeper;
  const char* directory = Records() ? OptionText(OptionIndex("output")) : "";
  return *directory == '\0' ? nullptr : directory;
}

int IsRecording() {
  const ErrnoKeeper keeper;
  return Records() && IsRecordingNow() ? 1 : 0;
}

}  // namespace
}  // namespace syncline::program

SYNCLINE_EXPORT syncline_region syncline_door_begin(const char* name, const syncline_label* labels,
                                                    size_t count, uint32_t flags) {
  return syncline::program::BeginRegion(name, labels, count, flags);
}
SYNCLINE_EXPORT uint64_t syncline_door_end(syncline_region region) {
  return syncline::program::EndRegion(region);
}
SYNCLINE_EXPORT uint32_t syncline_door_device_time(syncline_region region, uint64_t* busy_ns) {
  return syncline::program::DeviceTimeNow(region, busy_ns);
}
SYNCLINE_EXPORT int syncline_door_pause() { return syncline::program::Pause(true); }
SYNCLINE_EXPORT int syncline_door_resume() { return syncline::program::Pause(false); }
SYNCLINE_EXPORT void syncline_door_flush() { syncline::program::Flush(); }
SYNCLINE_EXPORT const char* syncline_door_output_dir() {
  return syncline::program::OutputDirectory();
}
SYNCLINE_EXPORT int syncline_door_is_recording() { return syncline::program::IsRecording(); }
