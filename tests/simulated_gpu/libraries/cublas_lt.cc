// SPDX-License-Identifier: Apache-2.0
// libcublasLt: descriptors of matrix products, one algorithm for each, and the product with a time
// by its shape.
#include <cstring>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/costs.h"

using simgpu::libraries::Gemm;
using simgpu::libraries::PrecisionOf;

namespace {

constexpr int kSuccess = 0, kInvalidValue = 7, kExecutionFailed = 13;
constexpr size_t kVersion = 130000;
// cublasLtMatmulDescAttributes_t and cublasLtMatrixLayoutAttribute_t, as NVIDIA documents them.
constexpr int kTransposeA = 3, kTransposeB = 4, kBatchCount = 5;

struct Layout {
  cudaDataType type;
  uint64_t rows, columns;
  int32_t batch;
};

struct Description {
  int32_t transpose_a, transpose_b;
};

struct Preference {};

struct Algorithm {
  uint64_t data[8];
};

// cublasLtMatmulHeuristicResult_t
struct Result {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

template <class T>
int Take(T* field, const void* value, size_t bytes) {
  if (value == nullptr || bytes < sizeof *field) return kInvalidValue;
  std::memcpy(field, value, sizeof *field);
  return kSuccess;
}

}  // namespace

SIMGPU_LIBRARY size_t cublasLtGetVersion() { return kVersion; }

SIMGPU_LIBRARY int cublasLtMatmulDescCreate(Description** description) {
  *description = new Description{};
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulDescDestroy(Description* description) {
  delete description;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulDescSetAttribute(Description* description, int attribute,
                                                  const void* value, size_t bytes) {
  if (attribute == kTransposeA) return Take(&description->transpose_a, value, bytes);
  if (attribute == kTransposeB) return Take(&description->transpose_b, value, bytes);
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatrixLayoutCreate(Layout** layout, cudaDataType type, uint64_t rows,
                                              uint64_t columns) {
  *layout = new Layout{type, rows, columns, 1};
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute,
                                                    const void* value, size_t bytes) {
  return attribute == kBatchCount ? Take(&layout->batch, value, bytes) : kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulPreferenceCreate(Preference** preference) {
  *preference = new Preference;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulPreferenceDestroy(Preference* preference) {
  delete preference;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulPreferenceSetAttribute(Preference*) { return kSuccess; }

SIMGPU_LIBRARY int cublasLtMatmulAlgoGetHeuristic(void*, Description*, Layout*, Layout*, Layout*,
                                                  Layout*, Preference*, int wanted, Result* results,
                                                  int* found) {
  *found = wanted > 0 ? 1 : 0;
  if (wanted <= 0) return kInvalidValue;
  *results = Result{};
  results->waves = 1;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int,
                                          Algorithm* algorithm) {
  *algorithm = Algorithm{};
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulAlgoCheck(void*, Description*, Layout*, Layout*, Layout*, Layout*,
                                           const Algorithm*, Result* result) {
  result->workspace = 0;
  result->state = kSuccess;
  result->waves = 1;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmulAlgoConfigSetAttribute(Algorithm*) { return kSuccess; }

SIMGPU_LIBRARY int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm*, int, void* value,
                                                        size_t bytes, size_t* written) {
  if (value != nullptr) std::memset(value, 0, bytes);
  if (written != nullptr) *written = bytes;
  return kSuccess;
}

SIMGPU_LIBRARY int cublasLtMatmul(void*, const Description* description, const void*, const void*,
                                  const Layout* a, const void*, const Layout*, const void*,
                                  const void*, const Layout*, void*, const Layout* d,
                                  const Algorithm*, void*, size_t, void* stream) {
  const uint64_t k = description->transpose_a == 0 ? a->columns : a->rows;
  const Gemm gemm{static_cast<double>(d->rows), static_cast<double>(d->columns),
                  static_cast<double>(k), static_cast<double>(d->batch), PrecisionOf(a->type)};
  if (gemm.m * gemm.n * gemm.batch == 0) return kSuccess;
  const int error = simgpu::libraries::LaunchKernelByDriver(
      gemm.KernelName(description->transpose_a, description->transpose_b), gemm.Grid(), gemm.Us(),
      stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}
