// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "inject/core/collector.h"

namespace syncline {

static ProbeResult Probe() { return {true, "calls of the made-up messages", nullptr}; }

extern const CollectorDescription kCollector_ms;
const CollectorDescription kCollector_ms = {
    .name = "ms",
    .help = "Made-up messages",
    .records = "calls of made-up messages",
    .source = SYNCLINE_SOURCE_ms,
    .probe = Probe,
};

}  // namespace syncline
