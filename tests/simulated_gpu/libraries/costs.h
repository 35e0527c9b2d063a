// SPDX-License-Identifier: Apache-2.0
// What a library's kernel costs by its shape. Ours, of the order of an H100's data sheet: nothing
// may be concluded from them.
#pragma once

#include <library_types.h>

#include <cstdint>
#include <string>

#include "tests/simulated_gpu/libraries/kernels.h"

namespace simgpu::libraries {

// What a kernel computes with.
enum class Precision : uint8_t { kF8, kF16, kBf16, kF32, kF64, kC32, kC64 };

Precision PrecisionOf(cudaDataType type);
const char* Name(Precision precision);  // "f16"
double Width(Precision precision);      // bytes of an element

// The longer of computing and moving that much, and what every kernel takes.
double Microseconds(double flops, double bytes, Precision precision);

struct Gemm {
  double m, n, k, batch = 1;
  Precision precision = Precision::kF32;

  double Us() const;
  Shape Grid() const;
  // "simulated_gemm_f16_nt"; the letters are those of the operands' transposition.
  std::string KernelName(int transpose_a, int transpose_b, const char* kind = "gemm") const;
};

// A kernel that reads and writes so many bytes in all.
struct Elementwise {
  double bytes;

  double Us() const;
  Shape Grid() const;
};

}  // namespace simgpu::libraries
