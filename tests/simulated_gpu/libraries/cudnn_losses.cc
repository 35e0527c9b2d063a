// SPDX-License-Identifier: Apache-2.0
// libcudnn's CTC loss and spatial transformer: one kernel a call.
#include "tests/simulated_gpu/libraries/cudnn.h"

using simgpu::cudnn::Handle;
using simgpu::cudnn::kSuccess;
using simgpu::cudnn::LaunchElementwise;
using simgpu::cudnn::Tensor;

namespace {

constexpr double kGridBytes = 1 << 16;  // the grid's size is not in its descriptor

}  // namespace

SIMGPU_LIBRARY int cudnnGetCTCLossWorkspaceSize(Handle*, const Tensor*, const Tensor*, const int*,
                                                const int*, const int*, int, char*, size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetCTCLossWorkspaceSize_v8(Handle*, int, char*, const Tensor*,
                                                   const Tensor*, size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnCTCLoss(Handle* handle, const Tensor* probabilities) {
  return LaunchElementwise(handle, "simulated_ctc_loss", 3 * probabilities->Bytes());
}

SIMGPU_LIBRARY int cudnnCTCLoss_v8(Handle* handle, int, char*, const Tensor* probabilities) {
  return LaunchElementwise(handle, "simulated_ctc_loss", 3 * probabilities->Bytes());
}

SIMGPU_LIBRARY int cudnnSpatialTfGridGeneratorForward(Handle* handle) {
  return LaunchElementwise(handle, "simulated_grid_generator_forward", kGridBytes);
}

SIMGPU_LIBRARY int cudnnSpatialTfGridGeneratorBackward(Handle* handle) {
  return LaunchElementwise(handle, "simulated_grid_generator_backward", kGridBytes);
}

SIMGPU_LIBRARY int cudnnSpatialTfSamplerForward(Handle* handle, char*, const void*,
                                                const Tensor* x) {
  return LaunchElementwise(handle, "simulated_grid_sampler_forward", 3 * x->Bytes());
}

SIMGPU_LIBRARY int cudnnSpatialTfSamplerBackward(Handle* handle, char*, const void*,
                                                 const Tensor* x) {
  return LaunchElementwise(handle, "simulated_grid_sampler_backward", 4 * x->Bytes());
}
