// SPDX-License-Identifier: Apache-2.0
// The switch, off.
#include "inject/core/call_stacks.h"

namespace syncline {

CallStacks g_call_stacks;

void TakeStacksCheaply(TakeStack take) {
  g_call_stacks.take_cheaply.store(take, std::memory_order_release);
}

void TakeStacksOf(uint32_t roles, TakeStack take, bool seldom) {
  if (take != nullptr) g_call_stacks.take.store(take, std::memory_order_release);
  g_call_stacks.seldom.store(seldom, std::memory_order_relaxed);
  g_call_stacks.roles.store(roles, std::memory_order_release);
}

}  // namespace syncline
