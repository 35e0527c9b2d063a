// SPDX-License-Identifier: Apache-2.0
// The numbers of NCCL's interface, without its header: results, data types, reductions, the
// configuration of a communicator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simgpu::nccl {

enum Result : int {
  kSuccess,
  kUnhandledCudaError,
  kSystemError,
  kInternalError,
  kInvalidArgument,
  kInvalidUsage,
  kRemoteError,
  kInProgress,
  kResults,
};

// X(name, bytes of an element, as kernels are called); in the order of their numbers. Kernels for
// signed integers are those for unsigned ones.
#define SIMGPU_NCCL_TYPES(X)  \
  X(kInt8, 1, "u8")           \
  X(kUint8, 1, "u8")          \
  X(kInt32, 4, "u32")         \
  X(kUint32, 4, "u32")        \
  X(kInt64, 8, "u64")         \
  X(kUint64, 8, "u64")        \
  X(kFloat16, 2, "f16")       \
  X(kFloat32, 4, "f32")       \
  X(kFloat64, 8, "f64")       \
  X(kBfloat16, 2, "bf16")     \
  X(kFloat8e4m3, 1, "f8e4m3") \
  X(kFloat8e5m2, 1, "f8e5m2")

#define SIMGPU_NCCL_TYPE(name, bytes, text) name,
enum DataType : int { SIMGPU_NCCL_TYPES(SIMGPU_NCCL_TYPE) kDataTypes };
#undef SIMGPU_NCCL_TYPE

size_t SizeOf(DataType type);
const char* KernelText(DataType type);

// A number from kReductions on is one that a communicator has made: a sum of products.
enum Reduction : int { kSum, kProd, kMax, kMin, kAverage, kReductions };

enum class Function : uint8_t { kAllGather, kAllReduce, kBroadcast, kReduce, kReduceScatter };
inline constexpr size_t kFunctions = 5;
const char* NameOf(Function function);

struct UniqueId {
  char bytes[128];
};

// The beginning of ncclConfig_t; what follows differs by version.
struct Config {
  size_t size;
  uint32_t magic;
  uint32_t version;
  int blocking;  // 0: calls answer kInProgress
};
inline constexpr uint32_t kConfigMagic = 0xcafebeef;
inline constexpr int kNoColor = -1;

}  // namespace simgpu::nccl
