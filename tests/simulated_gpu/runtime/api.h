// SPDX-License-Identifier: Apache-2.0
// How a function of the runtime API is defined, and how it calls the driver.
//
// As with the driver's: files of functions that have a per-thread form are compiled twice, once
// with CUDA_API_PER_THREAD_DEFAULT_STREAM, which makes cuda_runtime_api.h and cuda.h rename both
// these functions and the driver's.
#pragma once

#ifdef SIMGPU_RUNTIME_12  // libcudart.so.12
#include "tests/simulated_gpu/runtime/names12.h"
#endif

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <generated_cuda_runtime_api_meta.h>

#include "simgpu_calls.h"
#include "tests/simulated_gpu/engine/api_scope.h"
#include "tests/simulated_gpu/runtime/load.h"

// The version a library presents. Not that of the headers: it would be newer than the driver's,
// which is 13.0 by default.
#ifdef SIMGPU_RUNTIME_12
#define SIMGPU_RUNTIME_VERSION 12090
#else
#define SIMGPU_RUNTIME_VERSION 13000
#endif

// SIMGPU_DRIVER(cuMemAlloc)(...) calls the driver's cuMemAlloc_v2.
#define SIMGPU_DRIVER(name) SIMGPU_DRIVER_AS(name)
#define SIMGPU_DRIVER_AS(name)                                                        \
  ([] {                                                                               \
    static const auto entry =                                                         \
        reinterpret_cast<decltype(&::name)>(simgpu::runtime::FindDriverEntry(#name)); \
    return entry;                                                                     \
  }())

namespace simgpu::runtime {

inline cudaError_t AsError(CUresult result) { return static_cast<cudaError_t>(result); }
inline CUdeviceptr AsDevice(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }
inline CUmemLocation AsLocation(const cudaMemLocation& location) {
  CUmemLocation driver{};
  driver.type = static_cast<CUmemLocationType>(location.type);
  driver.id = location.id;
  return driver;
}

}  // namespace simgpu::runtime

#define SIMGPU_RUNTIME_BODY(needs, name, params, symbol, is_query, call) \
  SIMGPU_RUNTIME_BODY_AS(needs, SIMGPU_CBID_##name, #name, params, symbol, is_query, call)
#define SIMGPU_RUNTIME_BODY_AS(needs, cbid, text, params, symbol, is_query, call)                 \
  const cudaError_t refused = simgpu::runtime::Prepare(simgpu::runtime::Needs::needs);            \
  const simgpu::Seam* seam = simgpu::runtime::TheSeam();                                          \
  if (seam == nullptr)                                                                            \
    return simgpu::runtime::Note(refused != cudaSuccess ? refused : cudaErrorInsufficientDriver); \
  simgpu::ApiScope scope(*seam, simgpu::Domain::kRuntime, cbid, text, params, symbol, is_query);  \
  return simgpu::runtime::Note(                                                                   \
      static_cast<cudaError_t>(scope.Return(refused != cudaSuccess ? refused : call)));

// SIMGPU_RUNTIME(what it needs, name, (parameters), arguments...) { body }
#define SIMGPU_RUNTIME(needs, name, parameters, ...) \
  SIMGPU_RUNTIME_AS(needs, name, parameters, nullptr, false, __VA_ARGS__)
// A call that a spin may consist of.
#define SIMGPU_RUNTIME_QUERY(name, parameters, ...) \
  SIMGPU_RUNTIME_AS(kContext, name, parameters, nullptr, true, __VA_ARGS__)
// A launch: `symbol` is the kernel's name.
#define SIMGPU_RUNTIME_LAUNCH(name, symbol, parameters, ...) \
  SIMGPU_RUNTIME_AS(kContext, name, parameters, symbol, false, __VA_ARGS__)
#define SIMGPU_RUNTIME_AS(needs, name, parameters, symbol, is_query, ...)               \
  static cudaError_t Do_##name parameters;                                              \
  SIMGPU_EXPORT cudaError_t CUDARTAPI name parameters {                                 \
    const SIMGPU_PARAMS_##name params{__VA_ARGS__};                                     \
    SIMGPU_RUNTIME_BODY(needs, name, &params, symbol, is_query, Do_##name(__VA_ARGS__)) \
  }                                                                                     \
  static cudaError_t Do_##name parameters

// A function without parameters, or one for which NVIDIA's headers have no parameter struct.
#define SIMGPU_RUNTIME_NO_STRUCT(needs, name, parameters, arguments) \
  SIMGPU_RUNTIME_NO_STRUCT_AS(needs, name, parameters, arguments)
#define SIMGPU_RUNTIME_NO_STRUCT_AS(needs, name, parameters, arguments)            \
  static cudaError_t Do_##name parameters;                                         \
  SIMGPU_EXPORT cudaError_t CUDARTAPI name parameters {                            \
    SIMGPU_RUNTIME_BODY(needs, name, nullptr, nullptr, false, Do_##name arguments) \
  }                                                                                \
  static cudaError_t Do_##name parameters
