// SPDX-License-Identifier: Apache-2.0
// Blocks first: a kernel of fewer blocks than multiprocessors leaves some without work, whatever
// has room on one.
#include "analysis/sums/kernel_fills.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "model/devices/occupancy.h"

namespace syncline {
namespace {

// Asked for each launch.
bool AreAlike(const KernelDetails& a, const KernelDetails& b) {
  static_assert(offsetof(KernelDetails, local) == 32,
                "grid, block and shared memory stand together");
  return std::memcmp(&a, &b, offsetof(KernelDetails, local)) == 0 && a.registers == b.registers;
}

uint64_t Product(const uint32_t (&sides)[3]) {
  const double product = double(sides[0]) * sides[1] * sides[2];
  return product < double(uint64_t{1} << 62) ? static_cast<uint64_t>(product) : UINT64_MAX;
}

RoomLimit LimitOf(OccupancyLimit limit) {
  if (limit == OccupancyLimit::kRegisters) return RoomLimit::kRegisters;
  return limit == OccupancyLimit::kSharedMemory ? RoomLimit::kSharedMemory : RoomLimit::kBlocks;
}

}  // namespace

void KernelFills::Judge(const DeviceOpRecord& op, const KernelDetails& kernel,
                        Judged* judged) const {
  *judged = {kernel, op.device, op.source};
  const SourceRun* const source = run_.sources.Find(op.source);
  if (source == nullptr) return;
  const auto known = source->devices.infos.find(op.device);
  const uint64_t blocks = Product(kernel.grid);
  if (known == source->devices.infos.end() || blocks == 0) return;
  const DeviceFacts& facts = known->second.facts;
  judged->multiprocessors = facts.multiprocessors;
  if (blocks < facts.multiprocessors) {
    judged->kind = Kind::kFewBlocks;
    judged->value = blocks;
    return;
  }
  const auto occupancy = OccupancyOf(kernel, facts);
  // What does not fit at all is a record that lies.
  if (!occupancy.has_value() || !occupancy->percent.has_value() || occupancy->full_percent == 0 ||
      occupancy->full_percent >= kLowOccupancyPercent)
    return;
  judged->kind = Kind::kLow;
  judged->limit = LimitOf(occupancy->limit);
  judged->value = occupancy->full_percent;
}

void KernelFills::Add(uint32_t number, const DeviceOpRecord& op, const KernelDetails& kernel) {
  if (number >= judged_.size()) judged_.resize(number + size_t{1});
  Judged& judged = judged_[number];
  if (judged.source != op.source || judged.device != op.device || !AreAlike(judged.kernel, kernel))
    Judge(op, kernel, &judged);
  if (judged.kind == Kind::kWell) return;
  if (number >= fills_.size()) fills_.resize(number + size_t{1});
  KernelFill& fill = fills_[number];
  const FillSums sums{1, op.end - op.begin, judged.value};
  if (judged.kind == Kind::kLow) return fill.low[static_cast<size_t>(judged.limit)].Add(sums);
  fill.few_blocks.Add(sums);
  fill.multiprocessors = std::max(fill.multiprocessors, judged.multiprocessors);
}

}  // namespace syncline
