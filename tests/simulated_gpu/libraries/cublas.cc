// SPDX-License-Identifier: Apache-2.0
// libcublas: handles, and every form of a matrix product with a time by its shape. The other
// routines are generated launches.
#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/costs.h"
#include "tests/simulated_gpu/libraries/routine_forms.h"

using simgpu::libraries::Gemm;
using simgpu::libraries::Precision;
using simgpu::libraries::PrecisionOf;

namespace {

constexpr int kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13;
constexpr int kVersion = 130000;

struct Handle {
  void* stream = nullptr;
  int math_mode = 0;
  int pointer_mode = 0;
};

int Multiply(const Handle* handle, int transpose_a, int transpose_b, const Gemm& gemm) {
  if (handle == nullptr) return kNotInitialized;
  if (gemm.m < 0 || gemm.n < 0 || gemm.k < 0 || gemm.batch < 0) return kInvalidValue;
  if (gemm.m * gemm.n * gemm.batch == 0) return kSuccess;
  const int error = simgpu::libraries::LaunchKernel(gemm.KernelName(transpose_a, transpose_b),
                                                    gemm.Grid(), gemm.Us(), handle->stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}

}  // namespace

namespace simgpu::libraries {

int LaunchRoutine(void* handle, const char* name) {
  constexpr double kUs = 5;
  if (handle == nullptr) return kNotInitialized;
  const int error = LaunchKernel(std::string("simulated_") + name, {64, 128}, kUs,
                                 static_cast<Handle*>(handle)->stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}

}  // namespace simgpu::libraries

SIMGPU_LIBRARY int cublasCreate_v2(Handle** handle) {
  *handle = new Handle;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasDestroy_v2(Handle* handle) {
  delete handle;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasGetVersion_v2(Handle*, int* version) {
  *version = kVersion;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasSetStream_v2(Handle* handle, void* stream) {
  handle->stream = stream;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasGetStream_v2(Handle* handle, void** stream) {
  *stream = handle->stream;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasSetWorkspace_v2(Handle*) { return kSuccess; }

SIMGPU_LIBRARY int cublasSetSmCountTarget(Handle*) { return kSuccess; }

SIMGPU_LIBRARY int cublasSetMathMode(Handle* handle, int mode) {
  handle->math_mode = mode;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasGetMathMode(Handle* handle, int* mode) {
  *mode = handle->math_mode;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasSetPointerMode_v2(Handle* handle, int mode) {
  handle->pointer_mode = mode;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasGetPointerMode_v2(Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return kSuccess;
}

// X(letter, precision): the forms that each element type has.
#define SIMGPU_ELEMENT_TYPES(X) X(S, kF32) X(D, kF64) X(C, kC32) X(Z, kC64)

#define SIMGPU_GEMMS(letter, precision)                                                          \
  SIMGPU_LIBRARY int cublas##letter##gemm_v2(Handle* handle, int ta, int tb, int m, int n,       \
                                             int k) {                                            \
    return Multiply(handle, ta, tb, {double(m), double(n), double(k), 1, Precision::precision}); \
  }                                                                                              \
  SIMGPU_LIBRARY int cublas##letter##gemmBatched(                                                \
      Handle* handle, int ta, int tb, int m, int n, int k, const void*, const void*, int,        \
      const void*, int, const void*, void*, int, int batch) {                                    \
    return Multiply(handle, ta, tb,                                                              \
                    {double(m), double(n), double(k), double(batch), Precision::precision});     \
  }                                                                                              \
  SIMGPU_LIBRARY int cublas##letter##gemmStridedBatched(                                         \
      Handle* handle, int ta, int tb, int m, int n, int k, const void*, const void*, int,        \
      long long, const void*, int, long long, const void*, void*, int, long long, int batch) {   \
    return Multiply(handle, ta, tb,                                                              \
                    {double(m), double(n), double(k), double(batch), Precision::precision});     \
  }
SIMGPU_ELEMENT_TYPES(SIMGPU_GEMMS)

SIMGPU_LIBRARY int cublasSgemmEx(Handle* handle, int ta, int tb, int m, int n, int k, const void*,
                                 const void*, cudaDataType type) {
  return Multiply(handle, ta, tb, {double(m), double(n), double(k), 1, PrecisionOf(type)});
}

SIMGPU_LIBRARY int cublasGemmEx(Handle* handle, int ta, int tb, int m, int n, int k, const void*,
                                const void*, cudaDataType type) {
  return Multiply(handle, ta, tb, {double(m), double(n), double(k), 1, PrecisionOf(type)});
}

SIMGPU_LIBRARY int cublasGemmStridedBatchedEx(Handle* handle, int ta, int tb, int m, int n, int k,
                                              const void*, const void*, cudaDataType type, int,
                                              long long, const void*, cudaDataType, int, long long,
                                              const void*, void*, cudaDataType, int, long long,
                                              int batch) {
  return Multiply(handle, ta, tb,
                  {double(m), double(n), double(k), double(batch), PrecisionOf(type)});
}

// Factorisations of batches, and what solves with them, say for each matrix whether it went well;
// to the device, the last two to the host, in one number.
#define SIMGPU_BATCHES(letter, precision)         \
  SIMGPU_BATCH(cublas##letter##getrfBatched, 4)   \
  SIMGPU_ROUTINE(cublas##letter##getrsBatched, 8) \
  SIMGPU_ROUTINE(cublas##letter##geqrfBatched, 5)
SIMGPU_ELEMENT_TYPES(SIMGPU_BATCHES)

#define SIMGPU_LEAST_SQUARES(letter, precision)                                          \
  SIMGPU_LIBRARY int cublas##letter##gelsBatched(void* handle, SIMGPU_SKIP_8, int* info, \
                                                 int* device_info, int batch) {          \
    *info = 0;                                                                           \
    if (device_info != nullptr) std::fill_n(device_info, batch, 0);                      \
    return simgpu::libraries::LaunchRoutine(handle, "cublas" #letter "gelsBatched");     \
  }
SIMGPU_ELEMENT_TYPES(SIMGPU_LEAST_SQUARES)
