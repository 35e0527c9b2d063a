// SPDX-License-Identifier: Apache-2.0
// What being recorded costs the program, where a test wants that to be known: SIMGPU_CUPTI_COST.
#pragma once

namespace simgpu::cupti {

// Takes the calling thread that long. Nothing where the variable is not set.
void Spend();

}  // namespace simgpu::cupti
