// SPDX-License-Identifier: Apache-2.0
// Stands in for the collector in a build without the vendor's CUPTI headers, so that `syncline
// doctor` can say so.
#include "collectors/cuda/cuda_door.h"
#include "collectors/cuda/cuda_entry.h"
#include "collectors/cuda/cupti_ownership.h"
#include "inject/core/collector.h"

namespace syncline {
namespace {

ProbeResult Probe() {
  return {
      false, "this build has no CUDA: CUPTI's headers were not found when Syncline was built",
      "install the CUDA toolkit (or the nvidia-cuda-cupti wheel through scripts/build) and build "
      "again"};
}

}  // namespace

extern const CollectorDescription kCollector_cuda;
const CollectorDescription kCollector_cuda = {
    .name = "cuda",
    .help = "CUDA calls and what the GPU did",
    .records = "CUDA calls",
    .source = SYNCLINE_SOURCE_cuda,
    .doors = {cuda::kDoor},
    .probe = Probe,
};

namespace cuda {

void Arm() {}
void BeforeClient(const char*) {}
void AfterClient(ClientAct, uint32_t) {}
void StandInForClient(void**, void**) {}
void ClientRegistered(void*, void*) {}
void ClientSetClock(void*) {}
bool NothingIsTheClients() { return false; }

}  // namespace cuda
}  // namespace syncline
