// SPDX-License-Identifier: Apache-2.0
// The words of Python's ranges in a trace: they are ranges like those of NVTX.
#include "model/devices/source_facts.h"

namespace syncline {

extern const SourceFacts kSourceFacts_python;
const SourceFacts kSourceFacts_python = {
    .source = SYNCLINE_SOURCE_python,
    .name = "python",
    .range_category = "user_annotation",
    .calls_domain = "py.call",
    .stretches_domain = "py",
    .ranges_on_devices = true,
};

}  // namespace syncline
