// SPDX-License-Identifier: Apache-2.0
// The words of a program's own regions in a trace: they are ranges like those of NVTX.
#include "model/devices/source_facts.h"

namespace syncline {

extern const SourceFacts kSourceFacts_program;
const SourceFacts kSourceFacts_program = {
    .source = SYNCLINE_SOURCE_program,
    .name = "program",
    .range_category = "user_annotation",
    .ranges_on_devices = true,
    .payloads_are_labels = true,
};

}  // namespace syncline
