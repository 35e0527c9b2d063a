// SPDX-License-Identifier: Apache-2.0
// What the generated launches of a library call; a library that has such defines it.
#pragma once

namespace simgpu::libraries {

// One kernel "simulated_NAME" on the stream of the library's handle; the library's status.
int LaunchRoutine(void* handle, const char* name);

}  // namespace simgpu::libraries
