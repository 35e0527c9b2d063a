// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "inject/core/collector.h"
#include "mu_hooks.h"

namespace syncline {

static ProbeResult Probe() { return {true, "calls and tasks of the made-up vendor", nullptr}; }

extern const CollectorDescription kCollector_mu;
const CollectorDescription kCollector_mu = {
    .name = "mu",
    .help = "A made-up vendor",
    .records = "calls of the made-up vendor",
    .source = SYNCLINE_SOURCE_mu,
    .probe = Probe,
    .start_at = StartAt::kLibrary,
    .libraries = {"libmu.so"},
    .start = mu::Arm,
    .flush = mu::Flush,
};

}  // namespace syncline
