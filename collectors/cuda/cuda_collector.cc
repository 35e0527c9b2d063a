// SPDX-License-Identifier: Apache-2.0
// The collector's row in the table of collectors.
#include "collectors/cuda/cuda_door.h"
#include "collectors/cuda/cuda_entry.h"
#include "collectors/cuda/cupti_library.h"
#include "collectors/cuda/cupti_ownership.h"
#include "collectors/cuda/subscription.h"
#include "inject/core/collector.h"

namespace syncline {
namespace {

ProbeResult Probe() {
  if (!cuda::CanFindCupti()) {
    return {
        false,
        "libcupti.so.13 or .12 was not found: of CUDA programs only the calls, where the runtime "
        "is "
        "shared",
        "install the CUDA toolkit's CUPTI (or the nvidia-cuda-cupti wheel), or add its folder to "
        "LD_LIBRARY_PATH"};
  }
  return {true,
          "CUDA calls, kernels, copies and memsets, through CUPTI; only calls where another tool "
          "owns it",
          nullptr};
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
    // A profiler that is loaded when CUDA is in use already.
    .start_at = StartAt::kLibrary,
    .libraries = {"libproton.so"},
    .start = cuda::GiveWayToProfiler,
    .flush = cuda::ReleaseCupti,
    .deliver = cuda::FlushSome,
    .fork_child = cuda::ForgetCupti,
};

}  // namespace syncline
