// SPDX-License-Identifier: Apache-2.0
// Inference that has no problem: batches go up and results come down by pinned memory in streams of their own, two at a time. The host
// waits for the result of the batch before, while the device has the next one.
#include <numeric>

#include "measured_steps.h"

__global__ void Infer(float* result, const float* batch) { result[threadIdx.x] = batch[threadIdx.x]; }

namespace {

constexpr size_t kBatch = 1 << 18, kResult = 1 << 10;

struct Slot {
  PinnedArray<float> host{kBatch}, result{kResult};
  DeviceArray<float> device{kBatch}, computed{kResult};
  cudaEvent_t up, inferred, down;
};

cudaStream_t NewStream() {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

}  // namespace

int main() {
  Slot slots[2];
  for (Slot& slot : slots) {
    for (cudaEvent_t* event : {&slot.up, &slot.inferred, &slot.down})
      CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  cudaStream_t upload = NewStream(), compute = NewStream(), download = NewStream();
  double sum = 0;
  Steps([&](int step) {
    Slot& slot = slots[step % 2];
    {
      const Range range("submit");
      CUDA(cudaMemcpyAsync(slot.device.get(), slot.host.get(), slot.host.bytes(), cudaMemcpyHostToDevice, upload));
      CUDA(cudaEventRecord(slot.up, upload));
      CUDA(cudaStreamWaitEvent(compute, slot.up, 0));
      for (int layer = 0; layer < 3; ++layer) Infer<<<64, 256, 0, compute>>>(slot.computed.get(), slot.device.get());
      CUDA(cudaEventRecord(slot.inferred, compute));
      CUDA(cudaStreamWaitEvent(download, slot.inferred, 0));
      CUDA(cudaMemcpyAsync(slot.result.get(), slot.computed.get(), slot.result.bytes(), cudaMemcpyDeviceToHost, download));
      CUDA(cudaEventRecord(slot.down, download));
    }
    if (step == 0) return;
    const Range range("answer");
    const Slot& before = slots[(step - 1) % 2];
    CUDA(cudaEventSynchronize(before.down));
    sum += std::accumulate(before.result.get(), before.result.get() + kResult, 0.0);
  });
  std::printf("answers: %.0f\n", sum);
  return 0;
}
