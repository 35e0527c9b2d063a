// SPDX-License-Identifier: Apache-2.0
// Which shared libraries are mapped in this process, as the loader's list says. Opens nothing.
#pragma once

#include <cstdint>

namespace syncline {

// Whether one of `names` is: sonames, or file names of libraries without a soname; the list ends at
// the first null, or after `count`.
bool IsMapped(const char* const* names, uint64_t count);

// How many libraries were ever loaded. Costs a call of the loader.
uint64_t LibrariesLoaded();

}  // namespace syncline
