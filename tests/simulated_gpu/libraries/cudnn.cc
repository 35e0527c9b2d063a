// SPDX-License-Identifier: Apache-2.0
// libcudnn: versions, handles, descriptors of tensors, batch normalisation, dropout.
#include "tests/simulated_gpu/libraries/cudnn.h"

#include <algorithm>

using simgpu::cudnn::Handle;
using simgpu::cudnn::kBadParameter;
using simgpu::cudnn::kExecutionFailed;
using simgpu::cudnn::kSuccess;
using simgpu::cudnn::LaunchElementwise;
using simgpu::cudnn::Tensor;
using simgpu::libraries::Precision;

namespace {

// What the wheels of PyTorch want at least: 9.26.0.
constexpr int kMajor = 9, kMinor = 26;
constexpr size_t kCudart = 13000, kDropoutStates = 1 << 20;

}  // namespace

namespace simgpu::cudnn {

double Tensor::Elements() const {
  double count = 1;
  for (int dimension : dimensions) count *= dimension;
  return count;
}

double Tensor::Bytes() const { return Elements() * Width(PrecisionOf(type)); }

libraries::Precision PrecisionOf(int data_type) {
  switch (data_type) {  // cudnnDataType_t
    case 1:
      return Precision::kF64;
    case 2:
      return Precision::kF16;
    case 9:
      return Precision::kBf16;
    case 3:
    case 6:
    case 12:
    case 13:
      return Precision::kF8;
    default:
      return Precision::kF32;
  }
}

int Launch(const Handle* handle, const std::string& name, libraries::Shape shape, double us) {
  const int error = libraries::LaunchKernel(name, shape, us, handle->stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}

int LaunchElementwise(const Handle* handle, const std::string& name, double bytes) {
  const libraries::Elementwise kernel{bytes};
  return Launch(handle, name, kernel.Grid(), kernel.Us());
}

}  // namespace simgpu::cudnn

SIMGPU_LIBRARY size_t cudnnGetVersion() { return kMajor * 10000 + kMinor * 100; }
SIMGPU_LIBRARY size_t cudnnGetCudartVersion() { return kCudart; }

SIMGPU_LIBRARY int cudnnGetProperty(int which, int* value) {  // libraryPropertyType
  *value = which == 0 ? kMajor : which == 1 ? kMinor : 0;
  return kSuccess;
}

SIMGPU_LIBRARY void cudnnGetLastErrorString(char* text, size_t size) {
  if (size > 0) *text = '\0';
}

SIMGPU_LIBRARY int cudnnCreate(Handle** handle) {
  *handle = new Handle;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnDestroy(Handle* handle) {
  delete handle;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnSetStream(Handle* handle, void* stream) {
  handle->stream = stream;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetStream(Handle* handle, void** stream) {
  *stream = handle->stream;
  return kSuccess;
}

// X(name): descriptors whose contents nothing depends on.
#define SIMGPU_EMPTY_DESCRIPTORS(X) X(Activation) X(CTCLoss) X(Dropout) X(SpatialTransformer)
#define SIMGPU_EMPTY(name)                                           \
  SIMGPU_LIBRARY int cudnnCreate##name##Descriptor(char** created) { \
    *created = new char;                                             \
    return kSuccess;                                                 \
  }                                                                  \
  SIMGPU_LIBRARY int cudnnDestroy##name##Descriptor(char* it) {      \
    delete it;                                                       \
    return kSuccess;                                                 \
  }
SIMGPU_EMPTY_DESCRIPTORS(SIMGPU_EMPTY)

SIMGPU_LIBRARY int cudnnSetActivationDescriptor(char*) { return kSuccess; }
SIMGPU_LIBRARY int cudnnSetCTCLossDescriptorEx(char*) { return kSuccess; }
SIMGPU_LIBRARY int cudnnSetCTCLossDescriptor_v9(char*) { return kSuccess; }
SIMGPU_LIBRARY int cudnnSetSpatialTransformerNdDescriptor(char*) { return kSuccess; }

// X(name): both are a data type and dimensions.
#define SIMGPU_TENSOR_DESCRIPTORS(X) X(Tensor) X(Filter)
#define SIMGPU_TENSOR(name)                                            \
  SIMGPU_LIBRARY int cudnnCreate##name##Descriptor(Tensor** created) { \
    *created = new Tensor;                                             \
    return kSuccess;                                                   \
  }                                                                    \
  SIMGPU_LIBRARY int cudnnDestroy##name##Descriptor(Tensor* it) {      \
    delete it;                                                         \
    return kSuccess;                                                   \
  }
SIMGPU_TENSOR_DESCRIPTORS(SIMGPU_TENSOR)

SIMGPU_LIBRARY int cudnnSetTensorNdDescriptor(Tensor* tensor, int type, int count,
                                              const int* dimensions, const int* strides) {
  if (count <= 0) return kBadParameter;
  tensor->type = type;
  tensor->dimensions.assign(dimensions, dimensions + count);
  tensor->strides.assign(strides, strides + count);
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetTensorNdDescriptor(const Tensor* tensor, int wanted, int* type,
                                              int* count, int* dimensions, int* strides) {
  *type = tensor->type;
  *count = static_cast<int>(tensor->dimensions.size());
  std::copy_n(tensor->dimensions.begin(), std::min(wanted, *count), dimensions);
  std::copy_n(tensor->strides.begin(), std::min(wanted, *count), strides);
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnSetFilterNdDescriptor(Tensor* filter, int type, int /*format*/, int count,
                                              const int* dimensions) {
  return cudnnSetTensorNdDescriptor(filter, type, count, dimensions, dimensions);
}

SIMGPU_LIBRARY int cudnnGetFilterNdDescriptor(const Tensor* filter, int wanted, int* type,
                                              int* format, int* count, int* dimensions) {
  *format = 0;
  std::vector<int> strides(static_cast<size_t>(std::max(0, wanted)));
  return cudnnGetTensorNdDescriptor(filter, wanted, type, count, dimensions, strides.data());
}

SIMGPU_LIBRARY int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(Handle*, int, int,
                                                                            Tensor*, Tensor*,
                                                                            Tensor*, Tensor*, char*,
                                                                            size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(Handle*, int, int, char*,
                                                                        Tensor*, size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnGetBatchNormalizationBackwardExWorkspaceSize(Handle*, int, int, Tensor*,
                                                                     Tensor*, Tensor*, Tensor*,
                                                                     Tensor*, Tensor*, char*,
                                                                     size_t* bytes) {
  *bytes = 0;
  return kSuccess;
}

// Training reads its input twice, for the statistics first.
SIMGPU_LIBRARY int cudnnBatchNormalizationForwardTrainingEx(Handle* handle, int, int, const void*,
                                                            const void*, const Tensor* x) {
  return LaunchElementwise(handle, "simulated_batch_norm_forward_training", 3 * x->Bytes());
}

SIMGPU_LIBRARY int cudnnBatchNormalizationForwardInference(Handle* handle, int, const void*,
                                                           const void*, const Tensor* x) {
  return LaunchElementwise(handle, "simulated_batch_norm_forward_inference", 2 * x->Bytes());
}

SIMGPU_LIBRARY int cudnnBatchNormalizationBackwardEx(Handle* handle, int, int, const void*,
                                                     const void*, const void*, const void*,
                                                     const Tensor* x) {
  return LaunchElementwise(handle, "simulated_batch_norm_backward", 5 * x->Bytes());
}

SIMGPU_LIBRARY int cudnnDropoutGetStatesSize(Handle*, size_t* bytes) {
  *bytes = kDropoutStates;
  return kSuccess;
}

SIMGPU_LIBRARY int cudnnSetDropoutDescriptor(char*, Handle* handle, float, void* states, size_t) {
  return states == nullptr ? kSuccess
                           : LaunchElementwise(handle, "simulated_dropout_states", kDropoutStates);
}

SIMGPU_LIBRARY int cudnnRestoreDropoutDescriptor(char*) { return kSuccess; }
