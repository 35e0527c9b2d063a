// SPDX-License-Identifier: Apache-2.0
// What Level Zero's calls wait for: the table of docs/level_zero.md; the letters are that page's
// rows.
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

}  // namespace

extern const WaitRules kWaitRules_level_zero;
const WaitRules kWaitRules_level_zero = {
    Roles(),    {}, {}, {},
    UINT32_MAX,  // nobody says how long a queue is
    0,           // no queue waits for others
    1,           // ZE_RESULT_NOT_READY
};

}  // namespace syncline
