// SPDX-License-Identifier: Apache-2.0
// Memory for texts and schemas that live as long as the process: bump allocation without a lock or
// libc's heap.
#pragma once

#include <cstddef>

namespace syncline {

// Texts of all collectors together may take this much; beyond it definitions are lost and counted.
inline constexpr size_t kMaxArenaBytes = size_t{64} << 20;

// Zeroed, aligned to 16, never freed. Null: over the limit or out of memory. Any thread,
// signal-safe, keeps errno.
void* ArenaAllocate(size_t bytes);

// A terminated copy. Null as above.
const char* ArenaCopy(const char* text, size_t bytes);

}  // namespace syncline
