// SPDX-License-Identifier: Apache-2.0
// By memory kinds and size.
#include "analysis/copy_rules.h"

namespace syncline {
namespace {

constexpr uint64_t kSmall = 65536;  // bytes

bool OnHost(MemoryKind kind) {
  return kind == MemoryKind::kPageable || kind == MemoryKind::kPinned;
}

CopyRule RuleOfSynchronous(const GpuOp& copy) {
  const bool from_host = OnHost(copy.from);
  const bool to_host = OnHost(copy.to);
  if (copy.from == MemoryKind::kManaged || copy.to == MemoryKind::kManaged) {
    return {CopyWait::kItself, WaitClass::kSyncCopy};  // C8
  }
  if (copy.from == MemoryKind::kPageable && !to_host) {  // C1, C2
    return {copy.bytes > kSmall ? CopyWait::kTail : CopyWait::kNothing, WaitClass::kSyncCopy};
  }
  if (from_host || to_host) return {CopyWait::kItself, WaitClass::kSyncCopy};  // C3, C4, C7
  return {};                                                                   // C5
}

CopyRule RuleOfAsync(const GpuOp& copy) {
  const bool from_host = OnHost(copy.from);
  const bool to_host = OnHost(copy.to);
  if (from_host && to_host) {  // A5, A6
    const bool pinned = copy.from == MemoryKind::kPinned && copy.to == MemoryKind::kPinned;
    return {CopyWait::kItself, pinned ? WaitClass::kSyncCopy : WaitClass::kPageableCopy};
  }
  if (copy.to == MemoryKind::kPageable) return {CopyWait::kItself, WaitClass::kPageableCopy};  // A3
  if (copy.from == MemoryKind::kPageable) {  // A1, A2
    return {copy.bytes > kSmall ? CopyWait::kTail : CopyWait::kNothing, WaitClass::kPageableCopy};
  }
  return {};  // A4
}

}  // namespace

CopyRule RuleOfCopy(const GpuOp& copy, bool async) {
  if (copy.type == DeviceOpType::kPeerCopy) return {};  // C6, A4
  if (copy.from == MemoryKind::kUnknown || copy.to == MemoryKind::kUnknown) {
    return {CopyWait::kMeasure, async ? WaitClass::kPageableCopy : WaitClass::kSyncCopy};
  }
  return async ? RuleOfAsync(copy) : RuleOfSynchronous(copy);
}

CopyRule RuleOfSet(const GpuOp& set) {
  const bool waits = set.to == MemoryKind::kPinned || set.to == MemoryKind::kManaged;  // M2, M3
  return {waits ? CopyWait::kItself : CopyWait::kNothing, WaitClass::kSyncCopy};
}

}  // namespace syncline
