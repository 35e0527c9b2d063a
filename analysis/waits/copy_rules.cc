// SPDX-License-Identifier: Apache-2.0
// The first row that fits.
#include "analysis/waits/copy_rules.h"

namespace syncline {
namespace {

CopyRule First(std::span<const CopyRow> rows, MemoryKinds from, MemoryKinds to, uint64_t bytes) {
  for (const CopyRow& row : rows) {
    if ((row.from & from) != 0 && (row.to & to) != 0 && bytes >= row.least)
      return {row.wait, row.wait_class};
  }
  return {};
}

}  // namespace

CopyRule RuleOfCopy(const GpuOp& copy, std::span<const CopyRow> rows) {
  if (copy.type == DeviceOpType::kPeerCopy) return {};  // between devices: nothing of the host's
  return First(rows, Kind(copy.from), Kind(copy.to), copy.bytes);
}

CopyRule RuleOfSet(const GpuOp& set, std::span<const CopyRow> rows) {
  return First(rows, kAnyMemory, Kind(set.to), set.bytes);
}

}  // namespace syncline
