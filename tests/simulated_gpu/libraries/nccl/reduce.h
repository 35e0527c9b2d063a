// SPDX-License-Identifier: Apache-2.0
// Reductions of what several ranks sent.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/types.h"

namespace simgpu::nccl {

// Element by element over all inputs. Numbers of 8 bits with a fraction are not reduced: the first
// input's are taken.
void Reduce(DataType type, Reduction reduction, const std::vector<const char*>& inputs,
            char* output, size_t elements);
// Multiplies each element by the number of the same type at `factor`.
void Scale(DataType type, const void* factor, char* data, size_t elements);

}  // namespace simgpu::nccl
