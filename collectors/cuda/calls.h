// SPDX-License-Identifier: Apache-2.0
// What a CUDA call's name tells: what the call does, and whether it is on the short list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/record.h"

namespace syncline::cuda {

// Length of the part of CUPTI's callback name that users know: without `_v7000`, `_ptsz`, `_ptds`.
// `*start` is moved over leading underscores: nvcc 13 launches through `__cudaLaunchKernel`.
size_t PlainName(const char** start);

struct CallFacts {
  uint8_t role;  // a CallRole, with kCallIsAsync
  bool on_short_list;
  bool gives_several;  // operations of a device may come of it
};

// `name`: the plain name of a runtime or driver call.
CallFacts FactsOf(const char* name, size_t bytes);

}  // namespace syncline::cuda
