// SPDX-License-Identifier: Apache-2.0
// NVTX's ranges, as HTA expects them.
#include "model/devices/source_facts.h"

namespace syncline {

extern const SourceFacts kSourceFacts_nvtx;
const SourceFacts kSourceFacts_nvtx = {
    SYNCLINE_SOURCE_nvtx, "nvtx", "nvtx", "NVTX", {}, 0, 0, nullptr, nullptr,
    "user_annotation",    true};

}  // namespace syncline
