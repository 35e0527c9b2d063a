// SPDX-License-Identifier: Apache-2.0
// Whether a copy or memset has anything to do: one of no bytes gives the GPU nothing, and CUPTI no
// record of it.
#pragma once

#include <cstdint>

namespace syncline::cuda {

// Where the parameters of a call tell how much it copies or sets: the product of up to three words
// of 8 bytes.
struct SizeWords {
  uint8_t count;    // 0: they are not known to tell
  uint8_t first;    // of the struct that CUPTI passes; the others follow it
  bool by_pointer;  // the struct's first word leads to the one that is meant
};

// By CUPTI's name of a runtime or driver call, without leading underscores.
SizeWords SizeWordsOf(const char* name);

// `params`: as CUPTI passes them, of a call that succeeded.
bool IsEmpty(const SizeWords& size, const void* params);

}  // namespace syncline::cuda
