// SPDX-License-Identifier: Apache-2.0
// libcusparseLt: products in which two of four elements of one matrix are zero, with a time by
// their shape, and the compressing of that matrix.
#include <cstdint>
#include <cstring>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/costs.h"

using simgpu::libraries::Elementwise;
using simgpu::libraries::Gemm;
using simgpu::libraries::Precision;
using simgpu::libraries::PrecisionOf;

namespace {

constexpr int kSuccess = 0, kInvalidValue = 3, kExecutionFailed = 6;
constexpr int kNoTranspose = 0;
// cusparseLtMatmulAlgAttribute_t, as NVIDIA documents it: the algorithm's number, and the first
// that is none.
constexpr int kAlgorithm = 0, kAlgorithms = 1, kAttributes = 6;
constexpr double kKept = 0.5;  // of the elements of a sparse matrix

// These lie in the caller's opaque objects, which are larger.
struct Matrix {
  int64_t rows, columns;
  cudaDataType type;
};

struct Product {
  int transpose_a, transpose_b;
  Matrix a, d;
};

struct Selection {
  int attributes[kAttributes];
};

Gemm GemmOf(const Product& product) {
  const int64_t k = product.transpose_a == kNoTranspose ? product.a.columns : product.a.rows;
  return {static_cast<double>(product.d.rows), static_cast<double>(product.d.columns),
          kKept * static_cast<double>(k), 1, PrecisionOf(product.a.type)};
}

int Launch(const Product& product, void* const* streams, int32_t stream_count) {
  const Gemm gemm = GemmOf(product);
  if (gemm.m * gemm.n == 0) return kSuccess;
  void* stream = stream_count > 0 && streams != nullptr ? streams[0] : nullptr;
  const int error = simgpu::libraries::LaunchKernel(
      gemm.KernelName(product.transpose_a, product.transpose_b, "sparse_gemm"), gemm.Grid(),
      gemm.Us(), stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}

}  // namespace

SIMGPU_LIBRARY int cusparseLtInit(void*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseLtDenseDescriptorInit(const void*, Matrix* matrix, int64_t rows,
                                                 int64_t columns, int64_t, uint32_t,
                                                 cudaDataType type) {
  *matrix = {rows, columns, type};
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtStructuredDescriptorInit(const void* handle, Matrix* matrix,
                                                      int64_t rows, int64_t columns, int64_t ld,
                                                      uint32_t alignment, cudaDataType type) {
  return cusparseLtDenseDescriptorInit(handle, matrix, rows, columns, ld, alignment, type);
}

SIMGPU_LIBRARY int cusparseLtMatDescriptorDestroy(const Matrix*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseLtMatmulDescriptorInit(const void*, Product* product, int transpose_a,
                                                  int transpose_b, const Matrix* a, const Matrix*,
                                                  const Matrix*, const Matrix* d) {
  *product = {transpose_a, transpose_b, *a, *d};
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtMatmulDescSetAttribute(const void*, Product*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseLtMatmulAlgSelectionInit(const void*, Selection* selection) {
  *selection = {};
  selection->attributes[kAlgorithms] = 1;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtMatmulAlgSetAttribute(const void*, Selection* selection, int attribute,
                                                   const void* value, size_t bytes) {
  if (attribute < 0 || attribute >= kAttributes || attribute == kAlgorithms) return kInvalidValue;
  if (bytes != sizeof(int)) return kInvalidValue;
  std::memcpy(&selection->attributes[attribute], value, bytes);
  return selection->attributes[kAlgorithm] == 0 ? kSuccess : kInvalidValue;
}

SIMGPU_LIBRARY int cusparseLtMatmulAlgGetAttribute(const void*, const Selection* selection,
                                                   int attribute, void* value, size_t bytes) {
  if (attribute < 0 || attribute >= kAttributes || bytes != sizeof(int)) return kInvalidValue;
  std::memcpy(value, &selection->attributes[attribute], bytes);
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtMatmulPlanInit(const void*, Product* plan, const Product* product) {
  *plan = *product;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtMatmulPlanDestroy(const Product*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseLtMatmulGetWorkspace(const void*, const Product*, size_t* bytes) {
  *bytes = 1024;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtMatmul(const void*, const Product* plan, const void*, const void*,
                                    const void*, const void*, const void*, void*, void*,
                                    void* const* streams, int32_t stream_count) {
  return Launch(*plan, streams, stream_count);
}

// Runs the one algorithm there is, once.
SIMGPU_LIBRARY int cusparseLtMatmulSearch(const void*, Product* plan, const void*, const void*,
                                          const void*, const void*, const void*, void*, void*,
                                          void* const* streams, int32_t stream_count) {
  return Launch(*plan, streams, stream_count);
}

// Half of the elements, and two bits for the place of each.
SIMGPU_LIBRARY int cusparseLtSpMMACompressedSize2(const void*, const Matrix* matrix,
                                                  size_t* compressed, size_t* buffer) {
  const double elements = kKept * static_cast<double>(matrix->rows * matrix->columns);
  *compressed = static_cast<size_t>(elements * (Width(PrecisionOf(matrix->type)) + 0.25));
  *buffer = 1024;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseLtSpMMACompress2(const void*, const Matrix* matrix, int, int,
                                            const void*, void*, void*, void* stream) {
  const double elements = static_cast<double>(matrix->rows * matrix->columns);
  if (elements == 0) return kSuccess;
  const Elementwise compress{elements * Width(PrecisionOf(matrix->type)) * (1 + kKept)};
  const int error =
      simgpu::libraries::LaunchKernel("simulated_compress", compress.Grid(), compress.Us(), stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}
