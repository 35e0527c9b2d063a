// SPDX-License-Identifier: Apache-2.0
// What CUDA's calls wait for: docs/waits.md as tables; the letters are that page's rows.
#include "model/findings/wait_rules.h"

namespace syncline {
namespace {

constexpr RoleRules Roles() {
  RoleRules rules{};
  const auto both = [&rules](CallRole role, const RoleRule& rule) {
    rules[static_cast<size_t>(role)] = rules[kAsyncRole + static_cast<size_t>(role)] = rule;
  };
  const auto sync = [&rules](CallRole role, const RoleRule& rule) {
    rules[static_cast<size_t>(role)] = rule;
  };
  const auto async = [&rules](CallRole role, const RoleRule& rule) {
    rules[kAsyncRole + static_cast<size_t>(role)] = rule;
  };
  constexpr bool kLeavesWork = true;
  const RoleRule enqueue = {WaitsFor::kNothing, WaitClass::kQueueFull, FullQueue::kYes};  // Q1
  both(CallRole::kSynchronizeDevice, {WaitsFor::kDevice, WaitClass::kDevice});            // E1
  both(CallRole::kSynchronizeQueue, {WaitsFor::kQueue, WaitClass::kStream});              // E2, E3
  both(CallRole::kSynchronizeEvent, {WaitsFor::kEvent, WaitClass::kEvent});               // E4, E5
  both(CallRole::kReset, {WaitsFor::kDevice, WaitClass::kDevice});                        // E8
  both(CallRole::kRelease, {WaitsFor::kSomeDevice, WaitClass::kDevice});  // E8: the last one waits
  both(CallRole::kLaunch, {WaitsFor::kOwnWork, WaitClass::kStream, FullQueue::kYes, Held::kAsRule,
                           kLeavesWork});  // E9, Q1, D1
  both(CallRole::kGraphLaunch, {WaitsFor::kNothing, WaitClass::kGraph, FullQueue::kOfGraphs,
                                Held::kAsRule, kLeavesWork});      // Q2
  sync(CallRole::kCopy, {WaitsFor::kCopy, WaitClass::kSyncCopy});  // C1 to C9
  async(CallRole::kCopy, {WaitsFor::kCopy, WaitClass::kPageableCopy, FullQueue::kYes, Held::kAsRule,
                          kLeavesWork});  // A1 to A7
  sync(CallRole::kSet, {WaitsFor::kSet, WaitClass::kSyncCopy, FullQueue::kYes, Held::kAsRule,
                        kLeavesWork});  // M1 to M3
  async(CallRole::kSet, enqueue);
  both(CallRole::kEnqueue, enqueue);
  both(CallRole::kHostFunction, enqueue);  // what it runs is waited for
  both(CallRole::kAllocate, {WaitsFor::kSomeDevice, WaitClass::kAllocation, FullQueue::kNo,
                             Held::kAsException});                             // L4, L8
  sync(CallRole::kFree, {WaitsFor::kSomeDevice, WaitClass::kAllocation});      // L1
  both(CallRole::kFreeHost, {WaitsFor::kAllDevices, WaitClass::kAllocation});  // L6
  both(CallRole::kTrim, {WaitsFor::kSomeDevice, WaitClass::kAllocation});      // L9, L11
  both(CallRole::kUnload, {WaitsFor::kSomeDevice, WaitClass::kModuleLoad});    // D4
  both(CallRole::kGraphInstantiate,
       {WaitsFor::kSomeDevice, WaitClass::kModuleLoad, FullQueue::kNo, Held::kByLoading});  // D1
  both(CallRole::kGraphPrepare,
       {WaitsFor::kSomeDevice, WaitClass::kGraph, FullQueue::kNo, Held::kOrByLoading});  // G4
  return rules;
}

constexpr MemoryKinds kPageable = Kind(MemoryKind::kPageable);
constexpr MemoryKinds kPinned = Kind(MemoryKind::kPinned);
constexpr MemoryKinds kManaged = Kind(MemoryKind::kManaged);
constexpr MemoryKinds kUnknown = Kind(MemoryKind::kUnknown);
constexpr MemoryKinds kHost = kPageable | kPinned;
constexpr MemoryKinds kNotHost = kAnyMemory & ~kHost;
constexpr uint64_t kLarge = 65537;  // bytes; fewer are staged, and the host goes on

constexpr CopyRow kCopies[] = {
    {kUnknown, kAnyMemory, 0, CopyWait::kMeasure, WaitClass::kSyncCopy},
    {kAnyMemory, kUnknown, 0, CopyWait::kMeasure, WaitClass::kSyncCopy},
    {kManaged, kAnyMemory, 0, CopyWait::kItself, WaitClass::kSyncCopy},  // C8
    {kAnyMemory, kManaged, 0, CopyWait::kItself, WaitClass::kSyncCopy},
    {kPageable, kNotHost, kLarge, CopyWait::kTail, WaitClass::kSyncCopy},  // C2
    {kPageable, kNotHost, 0, CopyWait::kNothing, WaitClass::kSyncCopy},    // C1
    {kHost, kAnyMemory, 0, CopyWait::kItself, WaitClass::kSyncCopy},       // C3, C4, C7
    {kAnyMemory, kHost, 0, CopyWait::kItself, WaitClass::kSyncCopy},
};
constexpr CopyRow kAsyncCopies[] = {
    {kUnknown, kAnyMemory, 0, CopyWait::kMeasure, WaitClass::kPageableCopy},
    {kAnyMemory, kUnknown, 0, CopyWait::kMeasure, WaitClass::kPageableCopy},
    {kPinned, kPinned, 0, CopyWait::kItself, WaitClass::kSyncCopy},              // A6
    {kHost, kHost, 0, CopyWait::kItself, WaitClass::kPageableCopy},              // A5
    {kAnyMemory, kPageable, 0, CopyWait::kItself, WaitClass::kPageableCopy},     // A3
    {kPageable, kAnyMemory, kLarge, CopyWait::kTail, WaitClass::kPageableCopy},  // A2
};
constexpr CopyRow kSets[] = {
    {kAnyMemory, kPinned | kManaged, 0, CopyWait::kItself, WaitClass::kSyncCopy},  // M2, M3
};

}  // namespace

extern const WaitRules kWaitRules_cuda;
const WaitRules kWaitRules_cuda = {
    Roles(), kCopies, kAsyncCopies, kSets,
    1000,  // measured: 1,022 to 1,024
    7,     // CUPTI's number for the legacy stream, in every context
    600,   // CUDA_ERROR_NOT_READY, cudaErrorNotReady
};

}  // namespace syncline
