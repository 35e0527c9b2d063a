// SPDX-License-Identifier: Apache-2.0
// What the files of the simulated libcudnn share: statuses, the handle, tensors, launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/costs.h"

namespace simgpu::cudnn {

inline constexpr int kSuccess = 0, kBadParameter = 2000, kExecutionFailed = 5000;

struct Handle {
  void* stream = nullptr;
};

// A tensor's or a filter's descriptor of the older interface.
struct Tensor {
  int type = 0;  // cudnnDataType_t
  std::vector<int> dimensions, strides;

  double Elements() const;
  double Bytes() const;
};

libraries::Precision PrecisionOf(int data_type);

int Launch(const Handle* handle, const std::string& name, libraries::Shape shape, double us);
// A kernel that moves so many bytes.
int LaunchElementwise(const Handle* handle, const std::string& name, double bytes);

}  // namespace simgpu::cudnn
