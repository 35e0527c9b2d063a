// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "collectors/nvtx/start_end.h"
#include "inject/core/collector.h"

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
    "nvtx",  "NVTX ranges, marks, domains, categories and payloads",
    Probe,   nullptr,
    nullptr, nvtx::ForgetAllRanges};

}  // namespace syncline
