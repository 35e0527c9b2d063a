// SPDX-License-Identifier: Apache-2.0
// What a library's kernel costs by its shape.
#include "tests/simulated_gpu/libraries/costs.h"

#include <algorithm>
#include <cmath>

namespace simgpu::libraries {
namespace {

struct Row {
  const char* name;
  double width;
  double flops_per_us;
};

// By Precision.
constexpr Row kRows[] = {
    {"f8", 1, 1200e6}, {"f16", 2, 600e6}, {"bf16", 2, 600e6}, {"f32", 4, 50e6},
    {"f64", 8, 50e6},  {"c32", 8, 50e6},  {"c64", 16, 50e6},
};
constexpr double kBytesPerUs = 2.5e6, kLeastUs = 2, kTile = 128, kMostBlocks = 1 << 20;

uint32_t Blocks(double count) {
  return static_cast<uint32_t>(std::clamp(std::ceil(count), 1.0, kMostBlocks));
}

const Row& RowOf(Precision precision) { return kRows[static_cast<int>(precision)]; }

}  // namespace

Precision PrecisionOf(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
    case CUDA_C_16F:
      return Precision::kF16;
    case CUDA_R_16BF:
    case CUDA_C_16BF:
      return Precision::kBf16;
    case CUDA_R_64F:
      return Precision::kF64;
    case CUDA_C_32F:
      return Precision::kC32;
    case CUDA_C_64F:
      return Precision::kC64;
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_8I:
    case CUDA_R_8U:
      return Precision::kF8;
    default:
      return Precision::kF32;
  }
}

const char* Name(Precision precision) { return RowOf(precision).name; }
double Width(Precision precision) { return RowOf(precision).width; }

double Microseconds(double flops, double bytes, Precision precision) {
  return kLeastUs + std::max(flops / RowOf(precision).flops_per_us, bytes / kBytesPerUs);
}

double Gemm::Us() const {
  const double bytes = (m * k + k * n + m * n) * batch * Width(precision);
  return Microseconds(2 * m * n * k * batch, bytes, precision);
}

Shape Gemm::Grid() const {
  return {Blocks(std::ceil(m / kTile) * std::ceil(n / kTile) * batch), 256};
}

std::string Gemm::KernelName(int transpose_a, int transpose_b, const char* kind) const {
  const char letters[] = {transpose_a == 0 ? 'n' : 't', transpose_b == 0 ? 'n' : 't', '\0'};
  return std::string("simulated_") + kind + "_" + Name(precision) + "_" + letters;
}

double Elementwise::Us() const { return Microseconds(0, bytes, Precision::kF32); }

Shape Elementwise::Grid() const { return {Blocks(bytes / 4096), 256}; }

}  // namespace simgpu::libraries
