// SPDX-License-Identifier: Apache-2.0
// The end of a call that waited.
#include "collectors/level_zero/syncs.h"

#include "inject/core/helper_thread.h"

namespace syncline::level_zero {

// The device is done with something: the helper writes it down, while the program goes on.
ze_result_t Sync::End(ze_result_t result) {
  g_calls.End(call_, begun_, static_cast<uint32_t>(result));
  if (result == ZE_RESULT_SUCCESS && !call_.name->queries && UnreadWork() != 0) WakeHelper(kSource);
  return result;
}

}  // namespace syncline::level_zero
