// SPDX-License-Identifier: Apache-2.0
// Stands in for the collector in a build without the vendor's NVTX headers, so that `syncline
// doctor` can say so.
#include "collectors/nvtx/nvtx_door.h"
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
    .name = "nvtx",
    .help = "NVTX ranges, marks, domains, categories and payloads",
    .records = "NVTX ranges",
    .source = SYNCLINE_SOURCE_nvtx,
    .doors = {nvtx::kDoor},
    .probe = Probe,
};

namespace nvtx {

int Attach(void* get_export_table, const char*) {
  return CallUsers("InitializeInjectionNvtx2", get_export_table);
}
int AttachExtension(void* module_info, const char*) {
  return CallUsers("InitializeInjectionNvtxExtension", module_info);
}

}  // namespace nvtx
}  // namespace syncline
