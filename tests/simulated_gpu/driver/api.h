// SPDX-License-Identifier: Apache-2.0
// How a function of the driver API is defined: the exported function tells of the call, checks what
// every call checks, and hands on to a body.
//
// cuda.h renames functions to their versioned and, with CUDA_API_PER_THREAD_DEFAULT_STREAM, to
// their _ptsz and _ptds forms. Files of functions that have both forms are compiled twice, once
// with that macro: one text, two exported functions.
#pragma once

#include <cuda.h>
// Types of CUDA 3 that cuda.h hides and the parameter structs name.
using CUdeviceptr_v1 = unsigned int;
using CUDA_MEMCPY2D_v1 = struct CUDA_MEMCPY2D_v1_st;
using CUDA_MEMCPY3D_v1 = struct CUDA_MEMCPY3D_v1_st;
using CUDA_ARRAY_DESCRIPTOR_v1 = struct CUDA_ARRAY_DESCRIPTOR_v1_st;
using CUDA_ARRAY3D_DESCRIPTOR_v1 = struct CUDA_ARRAY3D_DESCRIPTOR_v1_st;
#include <generated_cuda_meta.h>

#include "simgpu_calls.h"
#include "tests/simulated_gpu/engine/api_scope.h"
#include "tests/simulated_gpu/engine/driver_state.h"

namespace simgpu {

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
inline constexpr bool kPerThreadStream = true;
#else
inline constexpr bool kPerThreadStream = false;
#endif

// What must hold before a call does anything.
enum class Needs : uint8_t {
  kNothing,
  kDriver,   // cuInit
  kContext,  // a current context without a sticky error
};

inline CUresult Admit(Needs needs) {
  if (needs == Needs::kNothing) return CUDA_SUCCESS;
  if (Phase() != DriverPhase::kReady) return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::kDriver) return CUDA_SUCCESS;
  if (CurrentThread()->in_host_function) return CUDA_ERROR_NOT_PERMITTED;
  const Context* context = CurrentContext();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return static_cast<CUresult>(StickyError());
}

inline CUresult AsResult(int engine_result) { return static_cast<CUresult>(engine_result); }

inline Stream* FindStream(CUstream handle) {
  return FindStream(CurrentContext(), handle, kPerThreadStream);
}

inline void* AsPointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace simgpu

// SIMGPU_CALL(what it needs, name, (parameters), arguments...) { body }
// The second macro sees the name as cuda.h has renamed it.
#define SIMGPU_CALL(needs, name, parameters, ...) \
  SIMGPU_CALL_AS(needs, name, parameters, __VA_ARGS__)
#define SIMGPU_CALL_AS(needs, name, parameters, ...)                                           \
  static CUresult Do_##name parameters;                                                        \
  SIMGPU_EXPORT CUresult CUDAAPI name parameters {                                             \
    const SIMGPU_PARAMS_##name params{__VA_ARGS__};                                            \
    simgpu::ApiScope scope(*simgpu_seam(), simgpu::Domain::kDriver, SIMGPU_CBID_##name, #name, \
                           &params);                                                           \
    const CUresult refused = simgpu::Admit(simgpu::Needs::needs);                              \
    return simgpu::AsResult(                                                                   \
        scope.Return(refused != CUDA_SUCCESS ? refused : Do_##name(__VA_ARGS__)));             \
  }                                                                                            \
  static CUresult Do_##name parameters

// The same for a function without parameters, or one for which NVIDIA's headers have no parameter
// struct.
#define SIMGPU_CALL_NO_STRUCT(needs, name, parameters, arguments) \
  SIMGPU_CALL_NO_STRUCT_AS(needs, name, parameters, arguments)
#define SIMGPU_CALL_NO_STRUCT_AS(needs, name, parameters, arguments)                           \
  static CUresult Do_##name parameters;                                                        \
  SIMGPU_EXPORT CUresult CUDAAPI name parameters {                                             \
    simgpu::ApiScope scope(*simgpu_seam(), simgpu::Domain::kDriver, SIMGPU_CBID_##name, #name, \
                           nullptr);                                                           \
    const CUresult refused = simgpu::Admit(simgpu::Needs::needs);                              \
    return simgpu::AsResult(                                                                   \
        scope.Return(refused != CUDA_SUCCESS ? refused : Do_##name arguments));                \
  }                                                                                            \
  static CUresult Do_##name parameters

// A call that a spin may consist of.
#define SIMGPU_QUERY(name, parameters, ...) SIMGPU_QUERY_AS(name, parameters, __VA_ARGS__)
#define SIMGPU_QUERY_AS(name, parameters, ...)                                                 \
  static CUresult Do_##name parameters;                                                        \
  SIMGPU_EXPORT CUresult CUDAAPI name parameters {                                             \
    const SIMGPU_PARAMS_##name params{__VA_ARGS__};                                            \
    simgpu::ApiScope scope(*simgpu_seam(), simgpu::Domain::kDriver, SIMGPU_CBID_##name, #name, \
                           &params, nullptr, true);                                            \
    const CUresult refused = simgpu::Admit(simgpu::Needs::kContext);                           \
    return simgpu::AsResult(                                                                   \
        scope.Return(refused != CUDA_SUCCESS ? refused : Do_##name(__VA_ARGS__)));             \
  }                                                                                            \
  static CUresult Do_##name parameters

// A launch: `symbol` is the kernel's name.
#define SIMGPU_LAUNCH(name, symbol, parameters, ...) \
  SIMGPU_LAUNCH_AS(name, symbol, parameters, __VA_ARGS__)
#define SIMGPU_LAUNCH_AS(name, symbol, parameters, ...)                                        \
  static CUresult Do_##name parameters;                                                        \
  SIMGPU_EXPORT CUresult CUDAAPI name parameters {                                             \
    const SIMGPU_PARAMS_##name params{__VA_ARGS__};                                            \
    simgpu::ApiScope scope(*simgpu_seam(), simgpu::Domain::kDriver, SIMGPU_CBID_##name, #name, \
                           &params, symbol);                                                   \
    const CUresult refused = simgpu::Admit(simgpu::Needs::kContext);                           \
    return simgpu::AsResult(                                                                   \
        scope.Return(refused != CUDA_SUCCESS ? refused : Do_##name(__VA_ARGS__)));             \
  }                                                                                            \
  static CUresult Do_##name parameters
