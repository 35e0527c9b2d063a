// SPDX-License-Identifier: Apache-2.0
// Stands in for the collector in a build without the vendor's NVTX headers, so that `syncline
// doctor` can say so.
#include "collectors/nvtx/nvtx_entry.h"
#include "inject/core/collector.h"

namespace syncline {
namespace {

ProbeResult Probe() {
  return {
      false, "this build has no NVTX: its headers were not found when Syncline was built",
      "install the CUDA toolkit (or the nvidia-nvtx wheel through scripts/build) and build again"};
}

}  // namespace

extern const CollectorDescription kCollector_nvtx;
const CollectorDescription kCollector_nvtx = {
    "nvtx", "NVTX ranges, marks, domains, categories and payloads", Probe, nullptr, nullptr,
    nullptr};

namespace nvtx {

int Attach(void*, const char*) { return 0; }
int AttachExtension(void*, const char*) { return 0; }

}  // namespace nvtx
}  // namespace syncline
