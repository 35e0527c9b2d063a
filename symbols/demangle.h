// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them, from any bytes, in bounded time and memory.
#pragma once

#include <string>
#include <string_view>

namespace syncline {

// The name itself if it is not mangled, cannot be demangled, or would become longer than 64 KiB.
// Any thread. A name that might stand for far more text than that is tried in a process of its own,
// for at most a fifth of a second; after ten of those that failed no more are tried.
std::string DemangledName(std::string_view name);

}  // namespace syncline
