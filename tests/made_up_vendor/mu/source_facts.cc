// SPDX-License-Identifier: Apache-2.0
// The made-up vendor's words and rules: it has queues, and nothing else waits.
#include "model/devices/source_facts.h"

#include "model/findings/wait_rules.h"

namespace syncline {
namespace {

constexpr RoleRules Roles() {
  RoleRules rules{};
  rules[RuleIndex(static_cast<uint8_t>(CallRole::kLaunch))].leaves_work = true;
  rules[RuleIndex(static_cast<uint8_t>(CallRole::kSynchronizeQueue))] = {WaitsFor::kQueue,
                                                                         WaitClass::kStream};
  return rules;
}

constexpr WaitRules kWaits = {Roles(), {}, {}, {}, 64, 0, 77};

constexpr DeviceWords kDevices = {
    .interface = "mu tool",
    .overhead = "mu overhead",
};

}  // namespace

extern const SourceFacts kSourceFacts_mu;
const SourceFacts kSourceFacts_mu = {
    .source = SYNCLINE_SOURCE_mu,
    .name = "mu",
    .has_devices = true,
    .devices = kDevices,
    .call_category = "mu_runtime",
    .lower_call_category = "mu_driver",
    .waits = &kWaits,
};

}  // namespace syncline
