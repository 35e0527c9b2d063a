// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "collectors/program/regions.h"
#include "inject/core/collector.h"

namespace syncline {

static ProbeResult Probe() {
  return {true, "regions of programs that include syncline.h or import the wheel's module",
          nullptr};
}

extern const CollectorDescription kCollector_program;
const CollectorDescription kCollector_program = {
    .name = "program",
    .help = "Regions that programs name through syncline.h",
    .records = "regions of syncline.h",
    .source = SYNCLINE_SOURCE_program,
    .probe = Probe,
    .fork_child = program::ForgetRegions,
};

}  // namespace syncline
