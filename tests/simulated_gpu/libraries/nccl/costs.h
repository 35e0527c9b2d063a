// SPDX-License-Identifier: Apache-2.0
// What a collective takes once all ranks have come, and what its kernel is called. Times are ours,
// of the order of an H100's NVLink: nothing may be concluded from them.
#pragma once

#include <cstdint>
#include <string>

#include "tests/simulated_gpu/libraries/nccl/types.h"

namespace simgpu::nccl {

inline constexpr double kLatencyUs = 8, kBytesPerUs = 400e3;  // 400 GB/s

// Bytes that pass each link of a ring. `bytes`: of the larger one of a rank's two buffers.
inline double RingBytes(Function function, double bytes, int ranks) {
  const double share = static_cast<double>(ranks - 1) / ranks;
  switch (function) {
    case Function::kAllReduce:
      return 2 * share * bytes;
    case Function::kAllGather:
    case Function::kReduceScatter:
      return share * bytes;
    default:
      return ranks > 1 ? bytes : 0;
  }
}

inline double Microseconds(double bytes) { return kLatencyUs + bytes / kBytesPerUs; }

// Mangled. NCCL has kernels of its own for the sums of each type; they stand for other reductions,
// algorithms and protocols too.
inline std::string KernelSymbol(const std::string& name) {
  return "_Z" + std::to_string(name.size()) + name + "24ncclDevKernelArgsStorageILm4096EE";
}

inline std::string KernelName(Function function, DataType type) {
  const bool moves = function == Function::kAllGather || function == Function::kBroadcast;
  const std::string sum = moves ? "" : std::string("_Sum_") + KernelText(type);
  return KernelSymbol(std::string("ncclDevKernel_") + NameOf(function) + sum + "_RING_LL");
}

inline std::string SendRecvName() { return KernelSymbol("ncclDevKernel_SendRecv"); }

}  // namespace simgpu::nccl
