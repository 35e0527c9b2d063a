// SPDX-License-Identifier: Apache-2.0
// The one log of the calls, and their numbers.
#include "collectors/level_zero/level_zero_source.h"

#include <atomic>

namespace syncline::level_zero {

constinit CallLog<kSource> g_calls;

uint32_t NextCorrelation() {
  static constinit std::atomic<uint32_t> last{0};
  return 1 + last.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace syncline::level_zero
