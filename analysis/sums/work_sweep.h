// SPDX-License-Identifier: Apache-2.0
// How long each combination of kinds of work was under way on one device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/devices/coverage_gaps.h"
#include "model/findings/run_findings.h"

namespace syncline {

enum class WorkKind : uint8_t { kKernels, kCommunicating, kCopying, kSets };
inline constexpr size_t kWorkKinds = 4;

// One thread.
class WorkSweep {
 public:
  // `closed`: joined times in which nothing was recorded. It outlives the sweep.
  explicit WorkSweep(const std::vector<CoverageGap>& closed) : closed_(closed) {}

  // In the order of begins.
  void Add(uint64_t begin_ns, uint64_t end_ns, WorkKind kind);
  // After the last Add: fills in how long the device did what, and was not seen.
  void FillIn(DeviceUse* use);

 private:
  void AdvanceTo(uint64_t to);

  const std::vector<CoverageGap>& closed_;
  uint64_t now_ = 0;
  uint64_t unseen_ns_ = 0;
  std::array<uint64_t, kWorkKinds> until_{};
  std::array<uint64_t, 1 << kWorkKinds> times_{};  // by the set of kinds
};

}  // namespace syncline
