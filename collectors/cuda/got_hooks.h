// SPDX-License-Identifier: Apache-2.0
// Records the program's CUDA calls where CUPTI is refused: puts functions of ours between the
// program and the CUDA library it is linked to. Where CUPTI works none of this is done.
#pragma once

#include <cstdint>

namespace syncline::cuda {

// Does so in all objects that are loaded, and are not done yet. Calls the loader. One thread at a
// time. Returns in how many places, of all that were done so far.
uint32_t HookCalls();

}  // namespace syncline::cuda
