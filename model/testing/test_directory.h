// SPDX-License-Identifier: Apache-2.0
// For tests: a directory of their own with files of theirs.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "model/testing/scratch.h"

namespace syncline {

class TestDirectory : public testing::Scratch {
 public:
  std::string Write(const std::string& name, std::string_view text, unsigned mode = 0644) const {
    const std::string path = *this / name;
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
};

}  // namespace syncline
