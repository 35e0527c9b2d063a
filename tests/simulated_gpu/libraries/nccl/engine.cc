// SPDX-License-Identifier: Apache-2.0
// Gives batches to the engine as kernels, through the CUDA runtime inside this library.
#include "tests/simulated_gpu/libraries/nccl/engine.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "tests/simulated_gpu/engine/seam.h"
#include "tests/simulated_gpu/libraries/kernels.h"
#include "tests/simulated_gpu/libraries/nccl/costs.h"
#include "tests/simulated_gpu/runtime/load.h"

namespace simgpu::nccl {
namespace {

constexpr libraries::Shape kShape{16, 512};

class BatchKernel : public Collective {
 public:
  BatchKernel(std::shared_ptr<Communicator> communicator, Batch batch)
      : communicator_(std::move(communicator)),
        batch_(std::make_shared<const Batch>(std::move(batch))) {}
  void Submitted(uint64_t run) override { communicator_->Submitted(run, batch_); }
  void Ready(uint64_t run, uint64_t ready_ns, uint64_t duration_ns) override {
    communicator_->Ready(run, {ready_ns, duration_ns});
  }

 private:
  const std::shared_ptr<Communicator> communicator_;
  const std::shared_ptr<const Batch> batch_;
};

// Of the larger one of a rank's two buffers.
double BufferBytes(const CollectiveCall& call, int ranks) {
  const bool parts =
      call.function == Function::kAllGather || call.function == Function::kReduceScatter;
  return static_cast<double>(call.bytes()) * (parts ? ranks : 1);
}

double Duration(const Batch& batch, int ranks) {
  double bytes = 0, sent = 0, received = 0;
  for (const CollectiveCall& call : batch.collectives)
    bytes += RingBytes(call.function, BufferBytes(call, ranks), ranks);
  for (const Transfer& transfer : batch.transfers)
    (transfer.sends ? sent : received) += static_cast<double>(transfer.bytes);
  return Microseconds(bytes + std::max(sent, received));
}

// NCCL launches the kernel of a batch's first call.
std::string KernelOf(const Batch& batch) {
  if (batch.collectives.empty()) return SendRecvName();
  const CollectiveCall& first = batch.collectives.front();
  return KernelName(first.function, first.type);
}

const char* Fault(const char* name) {
  static const auto fault =
      reinterpret_cast<const char* (*)(const char*)>(runtime::FindDriverEntry("simgpu_fault"));
  return fault(name);
}

class OnDevice {
 public:
  explicit OnDevice(int device) : before_(CurrentDevice()), switched_(before_ != device) {
    if (switched_) cudaSetDevice(device);
  }
  ~OnDevice() {
    if (switched_ && before_ >= 0) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const int before_;
  const bool switched_;
};

}  // namespace

Result LaunchBatch(const std::shared_ptr<Communicator>& communicator, Batch batch, void* stream) {
  const std::string name = KernelOf(batch);
  const double us = Duration(batch, communicator->ranks());
  const std::shared_ptr<Collective> kernel =
      std::make_shared<BatchKernel>(communicator, std::move(batch));
  const OnDevice on_device(communicator->device());
  const int error = libraries::LaunchCollective(name, kShape, us, stream, kernel);
  if (error == 0) return kSuccess;
  SetLastError("the launch of " + name + " failed with CUDA error " + std::to_string(error));
  return kUnhandledCudaError;
}

void FinishRun(uint64_t run, uint64_t start_ns, uint64_t end_ns, const CollectiveFacts& facts) {
  runtime::TheSeam()->finish_collective(run, start_ns, end_ns, &facts);
}

int CurrentDevice() {
  const Seam* seam = runtime::TheSeam();
  const int current = seam == nullptr ? -1 : seam->current_device();
  if (current >= 0) return current;
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t LateNs(int rank) {
  const char* late = Fault("nccl_late");
  if (late == nullptr) return 0;
  char* end = nullptr;
  const bool mine = std::strtol(late, &end, 10) == rank && end != late;
  return mine && *end == ':' ? std::strtoull(end + 1, nullptr, 10) * 1'000'000 : 0;
}

bool IsDead(int rank) {
  const char* dead = Fault("nccl_dead");
  return dead != nullptr && std::atoi(dead) == rank;
}

}  // namespace simgpu::nccl
