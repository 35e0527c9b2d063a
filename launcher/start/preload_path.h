// SPDX-License-Identifier: Apache-2.0
// What LD_PRELOAD names, so that the loader of a 32-bit program has nothing to complain of.
#pragma once

#include <string>

namespace syncline {

// The library's path, or, where the folders are there that cmake/SynclinePreload.cmake makes, one
// with $PLATFORM in it: the loader puts its own platform there, and a 32-bit one finds a library
// without code.
std::string PreloadPath(const std::string& library);

}  // namespace syncline
