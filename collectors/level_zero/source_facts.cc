// SPDX-License-Identifier: Apache-2.0
// Level Zero's words, and the table of docs/level_zero.md: the letters are that page's rows.
#include "model/devices/source_facts.h"

#include "model/findings/wait_rules.h"

namespace syncline {
namespace {

constexpr RoleRules Roles() {
  RoleRules rules{};
  const auto sync = [&rules](CallRole role, const RoleRule& rule) {
    rules[static_cast<size_t>(role)] = rule;
  };
  const auto async = [&rules](CallRole role, const RoleRule& rule) {
    rules[kAsyncRole + static_cast<size_t>(role)] = rule;
  };
  constexpr RoleRule kLeavesWork = {WaitsFor::kNothing, WaitClass::kStream, FullQueue::kNo,
                                    Held::kAsRule, true};
  sync(CallRole::kSynchronizeDevice, {WaitsFor::kDevice, WaitClass::kDevice});  // E9
  sync(CallRole::kSynchronizeQueue, {WaitsFor::kQueue, WaitClass::kStream});    // E1, E2, S4
  sync(CallRole::kSynchronizeEvent, {WaitsFor::kEvent, WaitClass::kEvent});     // E3, E4
  sync(CallRole::kLaunch, {WaitsFor::kItself, WaitClass::kStream});             // S2
  sync(CallRole::kGraphLaunch, {WaitsFor::kItself, WaitClass::kStream});        // S1
  sync(CallRole::kCopy, {WaitsFor::kItself, WaitClass::kSyncCopy});             // S3
  sync(CallRole::kSet, {WaitsFor::kItself, WaitClass::kSyncCopy});              // S3
  async(CallRole::kLaunch, kLeavesWork);                                        // S5
  async(CallRole::kGraphLaunch, kLeavesWork);
  async(CallRole::kCopy, kLeavesWork);
  async(CallRole::kSet, kLeavesWork);
  sync(CallRole::kFree, {WaitsFor::kSomeDevice, WaitClass::kAllocation});  // L3
  return rules;
}

constexpr WaitRules kWaits = {
    Roles(),    {}, {}, {},
    UINT32_MAX,  // nobody says how long a queue is
    0,           // no queue waits for others
    1,           // ZE_RESULT_NOT_READY
};

constexpr AdviceRow kAdvice[] = {
    {ProblemKind::kSynchronousCopy,
     "copy by an asynchronous list from or to memory of zeMemAllocHost, and wait where the data is "
     "needed"},
    {ProblemKind::kDeviceWait,
     "leave it out, or wait for the one event whose result is needed (zeEventHostSynchronize)"},
    {ProblemKind::kQuerySpin,
     "submit the next work instead, or wait once with zeEventHostSynchronize"},
    {ProblemKind::kAllocation, "allocate before the loop and use the memory again"},
    {ProblemKind::kLaunchBound,
     "fewer and larger kernels, or a command list that is closed once and executed again"},
    {ProblemKind::kCopyBlocks,
     "copy on a queue of its own, from and to memory of zeMemAllocHost, while the step before "
     "computes"},
};

constexpr DeviceWords kDevices = {
    .interface = "Level Zero",
    .overhead = "Level Zero overhead",
    .trace_word = "xpu",  // as Kineto has it
};

}  // namespace

extern const SourceFacts kSourceFacts_level_zero;
const SourceFacts kSourceFacts_level_zero = {
    .source = SYNCLINE_SOURCE_level_zero,
    .name = "level_zero",
    .has_devices = true,
    .devices = kDevices,
    .call_category = "xpu_runtime",
    .lower_call_category = "xpu_driver",
    .waits = &kWaits,
    .advice = kAdvice,
};

}  // namespace syncline
