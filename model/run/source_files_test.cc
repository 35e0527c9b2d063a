// SPDX-License-Identifier: Apache-2.0
// Which files are read.
#include "model/run/source_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace syncline {
namespace {

TEST(SourceFilesTest, RegularFilesOfOrdinarySize) {
  const std::string directory = ::testing::TempDir() + "/source_files";
  mkdir(directory.c_str(), 0755);
  std::ofstream(directory + "/a.py") << "one\n\nthree";
  std::ofstream(directory + "/large.py") << std::string((size_t{1} << 20) + 1, '\n');
  mkfifo((directory + "/pipe.py").c_str(), 0644);
  SourceFiles files(directory);
  const std::vector<std::string_view>& lines = files.LinesOf("a.py");
  EXPECT_EQ(lines, (std::vector<std::string_view>{"one", "", "three"}));
  EXPECT_EQ(files.LinesOf(directory + "/a.py"), lines);
  for (const char* none :
       {"large.py", "pipe.py", "gone.py", "", "<string>", "../source_files", "."})
    EXPECT_TRUE(files.LinesOf(none).empty()) << none;
  EXPECT_TRUE(SourceFiles("").LinesOf("a.py").empty()) << "relative to what?";
}

TEST(SourceFilesTest, NotAllOfThem) {
  const std::string directory = ::testing::TempDir() + "/source_files";
  mkdir(directory.c_str(), 0755);
  std::ofstream(directory + "/a.py") << "one\n";
  SourceFiles files(directory);
  for (int i = 0; i < 300; ++i) files.LinesOf("gone" + std::to_string(i));
  EXPECT_TRUE(files.LinesOf("a.py").empty());
  // Blank lines take sixteen times their text.
  SourceFiles lines(directory);
  size_t held = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "blank" + std::to_string(i) + ".py";
    std::ofstream(directory + "/" + name) << std::string(size_t{1} << 20, '\n');
    held += lines.LinesOf(name).empty() ? 0 : 1;
  }
  EXPECT_EQ(held, 1u);
}

}  // namespace
}  // namespace syncline
