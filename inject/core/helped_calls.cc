// SPDX-License-Identifier: Apache-2.0
// Nobody is told.
#include "inject/core/helped_calls.h"

namespace syncline {

HelpedCalls g_helped_calls;

void TellHelpedCalls(BeginHelped begin, EndHelped end) {
  g_helped_calls.end.store(end, std::memory_order_relaxed);
  g_helped_calls.begin.store(begin, std::memory_order_release);
}

}  // namespace syncline
