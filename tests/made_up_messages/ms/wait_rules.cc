// SPDX-License-Identifier: Apache-2.0
// Which calls wait for what outside of the process.
#include "model/findings/wait_rules.h"

namespace syncline {
namespace {

constexpr WaitRules Waits() {
  WaitRules rules;
  rules.roles[RuleIndex(static_cast<uint8_t>(CallRole::kCommunicate))] = {WaitsFor::kOutside,
                                                                          WaitClass::kPeer};
  rules.roles[RuleIndex(static_cast<uint8_t>(CallRole::kRead))] = {WaitsFor::kOutside,
                                                                   WaitClass::kFile};
  return rules;
}

}  // namespace

extern const WaitRules kWaitRules_ms;
const WaitRules kWaitRules_ms = Waits();

}  // namespace syncline
