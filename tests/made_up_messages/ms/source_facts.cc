// SPDX-License-Identifier: Apache-2.0
// A source without devices: its words, and which calls wait for what outside of the process.
#include "model/devices/source_facts.h"

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

constexpr WaitRules kWaits = Waits();

constexpr AdviceRow kAdvice[] = {{ProblemKind::kPeerWait, "send it earlier"}};

}  // namespace

extern const SourceFacts kSourceFacts_ms;
const SourceFacts kSourceFacts_ms = {
    .source = SYNCLINE_SOURCE_ms,
    .name = "ms",
    .call_category = "message",
    .waits = &kWaits,
    .advice = kAdvice,
};

}  // namespace syncline
