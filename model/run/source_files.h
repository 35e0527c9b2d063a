// SPDX-License-Identifier: Apache-2.0
// The program's own source texts, as they are on the disk now. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

class SourceFiles {
 public:
  // `directory`: against which relative paths stand; empty: they are not looked for.
  explicit SourceFiles(std::string directory) : directory_(std::move(directory)) {}

  // By number, the first is [0]. Empty: not a regular file, or larger than 1 MiB, or not readable,
  // or beyond 256 files or 32 MiB of memory. Lives as long as this.
  const std::vector<std::string_view>& LinesOf(std::string_view file);

 private:
  struct Text {
    std::string bytes;
    std::vector<std::string_view> lines;
  };

  const std::string directory_;
  std::map<std::string, Text, std::less<>> texts_;
  size_t room_ = size_t{32} << 20;
};

}  // namespace syncline
