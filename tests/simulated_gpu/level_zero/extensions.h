// SPDX-License-Identifier: Apache-2.0
// Functions that the tables of API 1.4 have no slot for.
#pragma once

namespace simgpu::level_zero {

// What zeDriverGetExtensionFunctionAddress answers; null: there is no such function.
void* ExtensionFunction(const char* name);

// Of those, the ones that give work to a device or wait for one; in later_calls.cc.
void* LaterCall(const char* name);

// Those of graphs; in graphs.cc.
void* GraphCall(const char* name);

}  // namespace simgpu::level_zero
