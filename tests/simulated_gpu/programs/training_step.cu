// SPDX-License-Identifier: Apache-2.0
// Two ranks of a training loop: load, forward, backward, all-reduce, optimizer, each an NVTX range. RANK and LOCAL_RANK say
// which rank this process is; without them one process plays rank 0. "All-reduce" is a kernel by the name NCCL's have.
#include <nvtx3/nvToolsExt.h>

#include <string>

#include "check.h"

__global__ void gemm_forward(float* x) { x[threadIdx.x] *= 2; }
__global__ void relu_forward(float* x) { x[threadIdx.x] += 1; }
__global__ void gemm_backward(float* x) { x[threadIdx.x] *= 3; }
__global__ void ncclDevKernel_AllReduce_Sum_f32_RING_LL(float* x) { x[threadIdx.x] += 4; }
__global__ void adam_step(float* x) { x[threadIdx.x] -= 1; }

static int Number(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atoi(value);
}

class Range {
 public:
  explicit Range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  ~Range() { nvtxRangePop(); }
};

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 3, layers = 4;
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaSetDevice(Number("LOCAL_RANK") % devices));
  constexpr size_t kSize = 1 << 16;
  PinnedArray<float> batch(kSize);
  DeviceArray<float> input(kSize), weights(kSize), gradients(kSize);
  cudaStream_t compute, communicate;
  CUDA(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&communicate, cudaStreamNonBlocking));
  cudaEvent_t backward_done, reduced;
  CUDA(cudaEventCreateWithFlags(&backward_done, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming));
  float loss = 0;
  for (int step = 0; step < steps; ++step) {
    const Range whole("step " + std::to_string(step));
    {
      const Range range("load");
      for (size_t i = 0; i < kSize; ++i) batch[i] = static_cast<float>(step);
      CUDA(cudaMemcpyAsync(input.get(), batch.get(), batch.bytes(), cudaMemcpyHostToDevice, compute));
    }
    {
      const Range range("forward");
      for (int layer = 0; layer < layers; ++layer) {
        gemm_forward<<<64, 256, 0, compute>>>(input.get());
        relu_forward<<<64, 256, 0, compute>>>(input.get());
      }
    }
    {
      const Range range("backward");
      for (int layer = 0; layer < layers; ++layer) gemm_backward<<<64, 256, 0, compute>>>(gradients.get());
      CUDA(cudaEventRecord(backward_done, compute));
    }
    {
      const Range range("all-reduce");
      CUDA(cudaStreamWaitEvent(communicate, backward_done, 0));
      ncclDevKernel_AllReduce_Sum_f32_RING_LL<<<8, 256, 0, communicate>>>(gradients.get());
      CUDA(cudaEventRecord(reduced, communicate));
    }
    {
      const Range range("optimizer");
      CUDA(cudaStreamWaitEvent(compute, reduced, 0));
      adam_step<<<64, 256, 0, compute>>>(weights.get());
      CUDA(cudaMemcpyAsync(&loss, input.get(), sizeof loss, cudaMemcpyDeviceToHost, compute));
      CUDA(cudaStreamSynchronize(compute));
    }
  }
  std::printf("rank %d: %d steps\n", Number("RANK"), steps);
  return 0;
}
