// SPDX-License-Identifier: Apache-2.0
// libcufft: plans, and a transform as one kernel with a time by its shape.
#include <cmath>
#include <map>
#include <mutex>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/costs.h"

using simgpu::libraries::Precision;

namespace {

constexpr int kSuccess = 0, kInvalidPlan = 1, kInvalidValue = 4, kExecFailed = 6;

struct Plan {
  void* stream = nullptr;
  double points = 0, batch = 1;
  Precision precision = Precision::kC32;
};

class Plans {
 public:
  int Make() {
    std::lock_guard<std::mutex> lock(mutex_);
    plans_[++last_] = Plan{};
    return last_;
  }
  bool Destroy(int handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    return plans_.erase(handle) != 0;
  }
  Plan* Find(int handle) {  // one thread at a time uses a plan
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(handle);
    return found == plans_.end() ? nullptr : &found->second;
  }

 private:
  std::mutex mutex_;
  int last_ = 0;
  std::map<int, Plan> plans_;  // elements do not move
};

Plans& ThePlans() {
  static Plans& plans = *new Plans;
  return plans;
}

}  // namespace

SIMGPU_LIBRARY int cufftCreate(int* handle) {
  *handle = ThePlans().Make();
  return kSuccess;
}

SIMGPU_LIBRARY int cufftDestroy(int handle) {
  return ThePlans().Destroy(handle) ? kSuccess : kInvalidPlan;
}

SIMGPU_LIBRARY int cufftSetAutoAllocation(int) { return kSuccess; }
SIMGPU_LIBRARY int cufftSetWorkArea(int) { return kSuccess; }

SIMGPU_LIBRARY int cufftSetStream(int handle, void* stream) {
  Plan* plan = ThePlans().Find(handle);
  if (plan == nullptr) return kInvalidPlan;
  plan->stream = stream;
  return kSuccess;
}

SIMGPU_LIBRARY int cufftXtMakePlanMany(int handle, int rank, const long long* sizes,
                                       const long long*, long long, long long, cudaDataType,
                                       const long long*, long long, long long, cudaDataType,
                                       long long batch, size_t* workspace, cudaDataType execution) {
  Plan* plan = ThePlans().Find(handle);
  if (plan == nullptr) return kInvalidPlan;
  if (rank < 1 || rank > 3 || batch < 1) return kInvalidValue;
  plan->points = 1;
  for (int i = 0; i < rank; ++i) plan->points *= static_cast<double>(sizes[i]);
  plan->batch = static_cast<double>(batch);
  plan->precision = simgpu::libraries::PrecisionOf(execution);
  *workspace = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int cufftXtExec(int handle) {
  const Plan* plan = ThePlans().Find(handle);
  if (plan == nullptr) return kInvalidPlan;
  const double points = plan->points * plan->batch;
  const double flops = 5 * points * std::log2(plan->points + 1);
  const double bytes = 2 * points * Width(plan->precision);
  const int error = simgpu::libraries::LaunchKernel(
      std::string("simulated_fft_") + Name(plan->precision),
      simgpu::libraries::Elementwise{bytes}.Grid(),
      simgpu::libraries::Microseconds(flops, bytes, plan->precision), plan->stream);
  return error == 0 ? kSuccess : kExecFailed;
}
