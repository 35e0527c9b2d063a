// SPDX-License-Identifier: Apache-2.0
// What samples of the host tell: what the thread that launched next did while a device had nothing
// to do.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace syncline {

enum class HostActivity : uint8_t {
  kRunning,
  kNoProcessor,  // it could have run, and had no processor
  kBlocked,
  kGil,     // blocked: another thread held Python's lock
  kUnknown  // nobody could ask the kernel
};
inline constexpr size_t kHostActivities = 5;
const char* HostActivityName(HostActivity activity);  // "running"

struct HostWorkKey {
  std::string
      where;  // "data.py:40 collate()": the innermost line of the user's own; empty: unknown
  HostActivity activity = HostActivity::kRunning;
  std::string
      what;  // the call that blocks, "read"; of the GIL: the line of the thread that held it
  std::string program{};
  auto operator<=>(const HostWorkKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Samples that fell into the time in which the host was busy in a gap (GapCause::kHostBusy).
struct HostWorkSums {
  uint64_t samples = 0;

  void Add(const HostWorkSums& other) { samples += other.samples; }
  bool operator==(const HostWorkSums&) const = default;
};

}  // namespace syncline
