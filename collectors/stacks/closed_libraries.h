// SPDX-License-Identifier: Apache-2.0
// How many libraries are gone that had been loaded, as the loader counts: other code may lie at its
// addresses from then on. In a fork's child each call of dlclose counts.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline::stacks {

extern std::atomic<uint64_t> g_libraries_closed;

// Relaxed: what a thread calls after dlclose has returned, it has from the program, which orders
// the two. Only where another thread's dlopen gets the addresses before that, a stack of its code
// may be told as the closed library's. To count before the call too would not help: what is then
// read anew may still be the library that goes.
inline uint64_t LibrariesClosed() { return g_libraries_closed.load(std::memory_order_relaxed); }

}  // namespace syncline::stacks
