// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "collectors/nvtx/nvtx_door.h"
#include "inject/core/collector.h"
#include "inject/core/start_end.h"

namespace syncline {
namespace {

ProbeResult Probe() {
  return {
      true,
      "ranges, marks and names of programs that use NVTX 2 or 3 (C, C++, Python, NCCL, PyTorch)",
      nullptr};
}

}  // namespace

extern const CollectorDescription kCollector_nvtx;
const CollectorDescription kCollector_nvtx = {
    .name = "nvtx",
    .help = "NVTX ranges, marks, domains, categories and payloads",
    .records = "NVTX ranges",
    .source = SYNCLINE_SOURCE_nvtx,
    .doors = {nvtx::kDoor},
    .probe = Probe,
    .fork_child = ForgetAllRanges,
};

}  // namespace syncline
