// SPDX-License-Identifier: Apache-2.0
// Which CUDA calls are recorded: all, or those that launch, copy, allocate or wait.
#pragma once

#include <cstddef>

namespace syncline::cuda {

// Length of the part of CUPTI's callback name that users know: without `_v7000`, `_ptsz`, `_ptds`.
// `*start` is moved over leading underscores: nvcc 13 launches through `__cudaLaunchKernel`.
size_t PlainName(const char** start);

// Whether the plain name of a runtime or driver call is on the short list.
bool OnShortList(const char* name, size_t bytes);

// Whether such a call gives the GPU something that CUPTI tells of: a launch, a copy, a memset.
bool MakesWork(const char* name, size_t bytes);

// Whether such a call asks for the state of the event or stream that is its one parameter.
bool Asks(const char* name, size_t bytes);

}  // namespace syncline::cuda
