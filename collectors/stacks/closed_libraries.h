// SPDX-License-Identifier: Apache-2.0
// How many libraries are gone that had been loaded, as the loader counts: other code may lie at its
// addresses from then on.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline::stacks {

extern std::atomic<uint64_t> g_libraries_closed;

// Relaxed: code of another library runs on a thread after dlclose has returned on one, and the
// program itself orders the two.
inline uint64_t LibrariesClosed() { return g_libraries_closed.load(std::memory_order_relaxed); }

}  // namespace syncline::stacks
