// SPDX-License-Identifier: Apache-2.0
// Looks for Intel's drivers among what is loaded.
#include "collectors/level_zero/passed_by.h"

#include "inject/core/exported.h"
#include "inject/core/log.h"

namespace syncline::level_zero {

void TellIfPassedBy() {
  if (!HasLoadedFile("libze_intel_")) return;
  Log(LogLevel::kWarn,
      "Level Zero: calls and GPU work were not recorded by Syncline: the loader was opened with "
      "RTLD_DEEPBIND, so that it asks itself for its functions; open it without");
}

}  // namespace syncline::level_zero
