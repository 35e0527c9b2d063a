// SPDX-License-Identifier: Apache-2.0
// The record of a call that nothing else is known of.
#include "collectors/level_zero/other_calls.h"

#include "inject/core/options.h"

namespace syncline::level_zero {
namespace {

constexpr int64_t kFull = 1;  // of the words of level.zero.api

}  // namespace

bool WantsAllCalls() { return OptionNumber(OptionIndex("level.zero.api")) == kFull; }

// Not inline: there are hundreds of callers, and none is called often.
OtherCall::OtherCall(const CallName& name)
    : call_{&name, NextCorrelation()}, begun_(g_calls.Begin(call_)) {}

uint32_t OtherCall::End(uint32_t result) {
  g_calls.End(call_, begun_, result);
  return result;
}

}  // namespace syncline::level_zero
