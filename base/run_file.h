// SPDX-License-Identifier: Apache-2.0
// The one way to open a file of a run for reading: whatever lies in its place, nobody waits for it
// and nothing outside of the run is read.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

inline constexpr uint64_t kMostRunText = uint64_t{256} << 20;  // of a file that is read whole

// A descriptor (close-on-exec) of a regular file, its size in *bytes. Neither a link nor a pipe, a
// device or a directory is opened. -1: *why says why not, and errno is ENOENT where nothing is
// there.
int OpenRunFile(const std::string& path, uint64_t* bytes, std::string* why);

// The whole file. 0 or errno, as above, EFBIG where it is longer than `most`.
int ReadRunFile(const std::string& path, uint64_t most, std::string* text,
                std::string* why = nullptr);

}  // namespace syncline
