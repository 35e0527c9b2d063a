// SPDX-License-Identifier: Apache-2.0
// Which PyTorch a library is of, read beside it: nothing of PyTorch's is called, nor imported.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline::torch {

// major * 1000 + minor; 0: not known.
using TorchVersion = uint32_t;

// Those whose functions are called as record_function.cc knows them: the layout was read in their
// sources, and the newest one was tried.
inline constexpr TorchVersion kOldestKnown = 2004;
inline constexpr TorchVersion kNewestKnown = 2015;

// Of the libtorch_cpu at `path`: by its soname (Debian's), by PyTorch's version.py (wheels), by
// build-version (PyTorch for C++).
TorchVersion VersionBeside(const char* path);

// "2.15.0+cu132" at the beginning of the text.
TorchVersion ParseVersion(std::string_view text);
// What a version.py assigns to __version__.
TorchVersion ParseVersionFile(std::string_view text);

}  // namespace syncline::torch
