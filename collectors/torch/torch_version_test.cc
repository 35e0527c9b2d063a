// SPDX-License-Identifier: Apache-2.0
// Versions of PyTorch as its files tell them.
#include "collectors/torch/torch_version.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace syncline::torch {
namespace {

constexpr char kVersionFile[] =
    "from typing import Optional\n\n__all__ = ['__version__', 'debug']\n"
    "__version__ = '2.15.0+cu132'\ndebug = False\n";

TEST(TorchVersion, IsMajorAndMinor) {
  EXPECT_EQ(ParseVersion("2.4.0+cpu\n"), 2004u);
  EXPECT_EQ(ParseVersion("2.15.0a0+git1234"), 2015u);
  EXPECT_EQ(ParseVersion("1.13"), 1013u);
  for (const char* text : {"", "2", "2.", "2.x", ".4", "v2.4", "99999.4", "2.99999"})
    EXPECT_EQ(ParseVersion(text), 0u) << text;
}

TEST(TorchVersion, StandsInItsFile) {
  EXPECT_EQ(ParseVersionFile(kVersionFile), 2015u);
  EXPECT_EQ(ParseVersionFile("__version__ = '2.4.0'\n"), 0u) << "not where PyTorch writes it";
  EXPECT_EQ(ParseVersionFile("x\n__version__ = '"), 0u);
}

class VersionBesideLibrary : public ::testing::Test {
 protected:
  void SetUp() override {
    top_ = std::filesystem::path(::testing::TempDir()) / "torch_version_test";
    std::filesystem::remove_all(top_);
    std::filesystem::create_directories(top_ / "lib");
  }
  void TearDown() override { std::filesystem::remove_all(top_); }
  void Write(const char* file, const char* text) { std::ofstream(top_ / file) << text; }
  TorchVersion Beside(const char* library) const {
    return VersionBeside((top_ / "lib" / library).c_str());
  }
  std::filesystem::path top_;
};

TEST_F(VersionBesideLibrary, IsFoundWhereEachKindHasIt) {
  EXPECT_EQ(Beside("libtorch_cpu.so"), 0u);
  EXPECT_EQ(Beside("libtorch_cpu.so.2.6"), 2006u);
  Write("build-version", "2.7.1+cpu\n");
  EXPECT_EQ(Beside("libtorch_cpu.so"), 2007u);
  Write("version.py", kVersionFile);
  EXPECT_EQ(Beside("libtorch_cpu.so"), 2015u);
  EXPECT_EQ(VersionBeside("libtorch_cpu.so"), 0u) << "no folder";
}

}  // namespace
}  // namespace syncline::torch
