// SPDX-License-Identifier: Apache-2.0
// Every function of NVIDIA's CUPTI headers, weakly: it says that it is not modelled. The others
// replace it at link time.
#include "simgpu_cupti_stubs.inc"

#include "tests/simulated_gpu/cupti/not_modelled.h"

// The headers are not included: these have other parameters than the functions they stand for, and
// read none.
#define SIMGPU_CUPTI_STUB(name)                                            \
  extern "C" __attribute__((weak, visibility("default"))) int name(void) { \
    return simgpu::cupti::AnswerNotModelled(#name);                        \
  }
SIMGPU_CUPTI_STUBS(SIMGPU_CUPTI_STUB)
