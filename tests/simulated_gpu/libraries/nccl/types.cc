// SPDX-License-Identifier: Apache-2.0
// Sizes and names of NCCL's data types and functions.
#include "tests/simulated_gpu/libraries/nccl/types.h"

namespace simgpu::nccl {
namespace {

#define SIMGPU_NCCL_SIZE(name, bytes, text) bytes,
constexpr size_t kSizes[] = {SIMGPU_NCCL_TYPES(SIMGPU_NCCL_SIZE)};
#undef SIMGPU_NCCL_SIZE
#define SIMGPU_NCCL_TEXT(name, bytes, text) text,
constexpr const char* kTexts[] = {SIMGPU_NCCL_TYPES(SIMGPU_NCCL_TEXT)};
#undef SIMGPU_NCCL_TEXT
constexpr const char* kFunctionNames[kFunctions] = {"AllGather", "AllReduce", "Broadcast", "Reduce",
                                                    "ReduceScatter"};

}  // namespace

size_t SizeOf(DataType type) { return kSizes[type]; }
const char* KernelText(DataType type) { return kTexts[type]; }
const char* NameOf(Function function) { return kFunctionNames[static_cast<size_t>(function)]; }

}  // namespace simgpu::nccl
