// SPDX-License-Identifier: Apache-2.0
// Finds libcupti at run time: the copy that is mapped already, else that of the driver's toolkit.
#pragma once

#include <cupti.h>

namespace syncline::cuda {

// The functions of one libcupti. Optional ones may be null.
struct Cupti {
#define CUPTI_NEEDED(name) decltype(&::name) name;
#define CUPTI_OPTIONAL(name) decltype(&::name) name;
#include "collectors/cuda/cupti.def"
#undef CUPTI_NEEDED
#undef CUPTI_OPTIONAL
  const char* path;  // as found, for messages
  uint32_t version;  // CUPTI_API_VERSION of the library: 18 to 28, from 13.0 on 130000 and up
};

inline constexpr uint32_t kCuptiVersions = 2;  // 13 and 12

// Fills `out` from the libcupti of a version: 0 the newest. Null: it worked; else why not, a
// constant sentence. The library stays open. Calls dlopen: never from a constructor.
const char* LoadCupti(uint32_t version, Cupti* out);

// Whether any libcupti can be found, for `syncline doctor`; loads nothing that needs a driver.
bool CanFindCupti();

}  // namespace syncline::cuda
