// SPDX-License-Identifier: Apache-2.0
// The bytes of a kModule record: how the launcher finds the file again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/loaded_modules.h"

namespace syncline::stacks {

inline constexpr size_t kMostBuildIdBytes = 64;  // longer ones are left out; linkers write 8 to 32
inline constexpr size_t kMostPathBytes = 4096;   // longer ones are cut
inline constexpr size_t kMostModuleBytes = kMostBuildIdBytes + kMostPathBytes;

// Of a module that was described. Writes to `out`, which has room for kMostModuleBytes. Returns the
// length. In a hook.
size_t WriteModule(const LoadedModule& module, ForeignMemory* memory, char* out,
                   uint16_t* build_id_bytes);

uint64_t HashOf(const char* bytes, size_t count);

}  // namespace syncline::stacks
