// SPDX-License-Identifier: Apache-2.0
// The version that a libcupti of this soname presents; compiled once per library.
#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {

extern const Version kDefaultVersion = SIMGPU_CUPTI_DEFAULT_VERSION;

}  // namespace simgpu::cupti
