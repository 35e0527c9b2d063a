// SPDX-License-Identifier: Apache-2.0
// Stands in for the collector in a build without the vendor's headers, so that `syncline doctor`
// can say so.
#include "collectors/level_zero/ddi_interposer.h"
#include "collectors/level_zero/tables_watch.h"
#include "inject/core/collector.h"

namespace syncline {
namespace {

ProbeResult Probe() {
  return {false, "this build has no Level Zero: its headers were not found when Syncline was built",
          "install libze-dev (level-zero-dev) and build again"};
}

}  // namespace

extern const CollectorDescription kCollector_level_zero;
const CollectorDescription kCollector_level_zero = {
    .name = "level_zero",
    .help = "Level Zero calls and what Intel GPUs did",
    .records = "Level Zero calls",
    .source = SYNCLINE_SOURCE_level_zero,
    .probe = Probe,
};

namespace level_zero {

void OnTable(DdiTable, uint32_t, void*) {}
void KeepQuestion(AskForAddress) {}

}  // namespace level_zero
}  // namespace syncline
