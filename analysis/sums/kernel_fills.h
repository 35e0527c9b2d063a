// SPDX-License-Identifier: Apache-2.0
// Adds up how badly each kernel's launches fill their device.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/core/record.h"
#include "model/findings/kernel_fill.h"
#include "model/run/rank_model.h"

namespace syncline {

// Launches of a kernel are mostly alike: what one came to is kept for the next. One thread.
class KernelFills {
 public:
  explicit KernelFills(const ProgramRun& run) : run_(run) {}

  // `number`: of the kernel, from 0 on. Launches with a time, each.
  void Add(uint32_t number, const DeviceOpRecord& op, const KernelDetails& kernel);
  // By number; may have fewer.
  const std::vector<KernelFill>& fills() const { return fills_; }

 private:
  enum class Kind : uint8_t { kWell, kFewBlocks, kLow };
  struct Judged {
    KernelDetails kernel{};
    uint32_t device = 0;
    Source source = 0;  // 0: none was judged
    Kind kind = Kind::kWell;
    RoomLimit limit = RoomLimit::kRegisters;
    uint64_t value = 0;  // blocks, or per cent
    uint64_t multiprocessors = 0;
  };

  void Judge(const DeviceOpRecord& op, const KernelDetails& kernel, Judged* judged) const;

  const ProgramRun& run_;
  std::vector<KernelFill> fills_;
  std::vector<Judged> judged_;  // the last one of each kernel
};

}  // namespace syncline
