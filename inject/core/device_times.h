// SPDX-License-Identifier: Apache-2.0
// Regions that ask how long devices were busy with what their thread launched while they were open.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"
#include "inject/core/thread_log.h"

namespace syncline {

inline constexpr uint32_t kDeviceTimes = 256;  // regions that are remembered
// Of the process, whose operations have not come yet.
inline constexpr uint32_t kFollowedLaunches = 1 << 16;

enum class DeviceTimeState : uint32_t {
  kUnknown,   // not followed, forgotten, or nothing was seen to be launched
  kPending,   // the region is open, or operations are to come
  kAtLeast,   // what is known is no more than a part, and nobody knows what is missing
  kComplete,  // for good
};
struct DeviceTime {
  DeviceTimeState state;
  uint64_t busy_ns;  // what is known
};

// Of the region's thread, inside a HookScope. `number` is below 2^48 and no other region's. Gives
// the region's id; 0: it is not followed, for too many are open.
uint64_t BeginDeviceTime(ThreadLog& log, uint64_t number);
// Also of the regions that the thread began later. Nothing happens if it is not open.
void EndDeviceTime(ThreadLog& log, uint64_t id);
// The thread ends.
void EndDeviceTimes(ThreadLog& log);

// Any thread; waits for nothing.
DeviceTime DeviceTimeOf(uint64_t id);

void ForgetDeviceTimes();  // in a fork's child

// A thread that has such a region open is in a call that may give a device work. `several`: more
// than one operation may come of it.
void FollowLaunch(const ThreadLog& log, Source source, uint32_t correlation, bool several);
// It did not: it failed, had nothing to do, or was captured.
void RetractLaunch(Source source, uint32_t correlation);
// No operation of it will be known.
void MissLaunch(const ThreadLog& log);

inline bool AsksForDeviceTime(const ThreadLog& log) {
  return __builtin_expect(log.device_times[0] != 0, 0);
}

// The same of a call of this thread that was not followed.
inline void MissLaunch() {
  if (t_log != nullptr && AsksForDeviceTime(*t_log)) MissLaunch(*t_log);
}

// What is known of a source's launches from now on.
void SetDeviceTimeCoverage(Source source, GpuCoverage coverage);

// An operation is known. Any thread.
void FollowOperation(const DeviceOpRecord& op);

extern std::atomic<bool> g_has_device_times;  // some region asked; relaxed
inline bool HasDeviceTimes() {
  return __builtin_expect(g_has_device_times.load(std::memory_order_relaxed), 0);
}

}  // namespace syncline
