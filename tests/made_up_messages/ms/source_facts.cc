// SPDX-License-Identifier: Apache-2.0
// A source without devices: its words.
#include "model/devices/source_facts.h"

namespace syncline {

extern const WaitRules kWaitRules_ms;

namespace {

constexpr AdviceRow kAdvice[] = {{ProblemKind::kPeerWait, "send it earlier"}};

}  // namespace

extern const SourceFacts kSourceFacts_ms;
const SourceFacts kSourceFacts_ms = {
    .source = SYNCLINE_SOURCE_ms,
    .name = "ms",
    .call_category = "message",
    .waits = &kWaitRules_ms,
    .advice = kAdvice,
};

}  // namespace syncline
