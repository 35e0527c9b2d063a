// SPDX-License-Identifier: Apache-2.0
// What the time of devices goes by with: each moment counts once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace syncline {

// Computing comes first, then communication, then copies; else what kept the device from them.
enum class TimeKind : uint8_t {
  kComputing,
  kCommunicating,   // while nothing computed
  kCopying,         // while nothing else ran
  kWaiting,         // the host waited
  kMakingData,      // the host made what it copied to the device next
  kHostBusy,        // it did something else
  kAwaitingOthers,  // ... until another thread, a process or a client handed something over
  kLaunching,       // work was submitted and had not begun
  kOtherDevice,     // ... because its stream waited for another device
  kHostFunction,    // ... because a function of the host ran in its stream
  kLoadingCode,     // of what is used for the first time
  kSettingUp,       // before the device's first kernel, while it did not copy
  kOther            // nothing followed, or too short to be looked at
};
inline constexpr size_t kTimeKinds = 13;
const char* TimeKindName(TimeKind kind);  // "making data"

// Nanoseconds of devices, by TimeKind.
struct TimeShares {
  uint64_t ns[kTimeKinds] = {};

  uint64_t& operator[](TimeKind kind) { return ns[static_cast<size_t>(kind)]; }
  uint64_t operator[](TimeKind kind) const { return ns[static_cast<size_t>(kind)]; }
  uint64_t Sum() const;
  void Add(const TimeShares& other);
  double Share(TimeKind kind) const;  // of the sum; 0: that is 0
  bool operator==(const TimeShares&) const = default;
};

// What a stretch of time has most of beyond what is usual.
struct MoreTime {
  TimeKind kind = TimeKind::kOther;
  uint64_t ns = 0;  // of devices
};
// `usual_ns` of the stretch is what others take, with the shares of `all`. Empty: nothing.
std::optional<MoreTime> MostBeyond(const TimeShares& stretch, const TimeShares& all,
                                   double usual_ns);

}  // namespace syncline
