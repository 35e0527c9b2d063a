// SPDX-License-Identifier: Apache-2.0
// What the generated stubs call; each library defines it.
#pragma once

namespace simgpu {

void SayUnsupported(const char* library, const char* function);

}  // namespace simgpu
