// SPDX-License-Identifier: Apache-2.0
// ISA-L, where the build knows it and the machine has it.
#pragma once

#if SYNCLINE_HAVE_ISAL
#include <isa-l/igzip_lib.h>

namespace syncline {

struct IsalFunctions {
  decltype(&isal_deflate_init) init = nullptr;
  decltype(&isal_deflate) deflate = nullptr;
  decltype(&isal_inflate_init) inflate_init = nullptr;
  decltype(&isal_inflate_reset) inflate_reset = nullptr;
  decltype(&isal_inflate) inflate = nullptr;
};

// All functions, or null: it is not there.
const IsalFunctions* Isal();

// To be called after each call of the library that compresses or decompresses.
void AfterIsal();

}  // namespace syncline
#endif
