// SPDX-License-Identifier: Apache-2.0
// Counts that kernels would have made: the one result that is written, as 0.
#pragma once

#include <string>

namespace simgpu {

// CUB's sum of whole numbers, which says how much memory a program takes next (`x.nonzero()`, a
// mask, the text of a tensor). What stood there before may be a number of something else, and the
// program would take a terabyte. `parameters` are the kernel's, or null.
void ClearCount(const std::string& kernel, void* const* parameters);

}  // namespace simgpu
