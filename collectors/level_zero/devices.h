// SPDX-License-Identifier: Apache-2.0
// The devices that the program uses, and their clocks.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/level_zero/api.h"

namespace syncline::level_zero {

inline constexpr uint32_t kMaxDevices = 64;  // sub-devices are devices of their own

// A device counts ticks: 64 bits of them when asked for its time, fewer in the time stamps of its
// work. Both are made nanoseconds by its frequency.
struct Device {
  std::atomic<ze_device_handle_t> handle;
  std::atomic<const Device*> whole{nullptr};  // that it is a part of; null: it is none
  uint64_t clock_mask = 0;                    // of the 64 bits, those that count
  uint64_t stamp_mask = 0;                    // of the time stamps of work
  // Release, after the masks; 0: the driver was not asked yet, or did not say: no times.
  std::atomic<uint64_t> hertz{0};
  std::atomic<bool> asked{false};
  // What the clock was: the count, as if it never wrapped, at a time of MonotonicNs. The latest
  // reading is number `readings`, modulo two: the next one is written into the other place.
  struct Reading {
    std::atomic<uint64_t> at_ns;
    std::atomic<uint64_t> ticks;
  };
  Reading reading[2] = {};
  std::atomic<uint64_t> readings{0};
};

// In records. Those of zeDeviceGet have its order, sub-devices follow.
uint32_t NumberOf(const Device& device);

// The device of the handle, known from now on: its name and clock are recorded. Asks the driver at
// the first sight of it. Null: the driver did not answer, or there are too many.
Device* DeviceOf(ze_device_handle_t handle);

// A time of the clock that all devices share in records. The first call writes down how it goes, so
// that records that have such times can be placed.
uint64_t SharedNow();
// In a fork's child: nothing was written down yet.
void ForgetSharedClock();

// Reads the clocks of all known devices and the shared one, and writes them down. Not in a hook
// that runs often: the driver's call may be a system call.
void ReadDeviceClocks();

// Nanoseconds of the device's clock now, as far as it is known.
uint64_t NowOf(const Device& device);

// A time stamp of work that ended before now, submitted at `submitted_ns` (MonotonicNs), as
// nanoseconds of the device's clock. False: it cannot have been between the two, or more than once,
// because stamps begin anew after some seconds or minutes.
bool WholeTime(const Device& device, uint64_t stamp, uint64_t submitted_ns, uint64_t* ns);

// The program asked which parts a device has.
void KeepParts(ze_device_handle_t whole, uint32_t count, const ze_device_handle_t* parts);
inline bool IsPart(const Device& device) {
  return device.whole.load(std::memory_order_relaxed) != nullptr;
}

// Ids of records: one context for a device and its parts, so that "all work of the device" has a
// name.
inline uint32_t ContextIdOf(const Device& device) {
  const Device* whole = device.whole.load(std::memory_order_relaxed);
  return NumberOf(whole == nullptr ? device : *whole) + 1;
}

}  // namespace syncline::level_zero
