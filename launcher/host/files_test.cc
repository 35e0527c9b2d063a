// SPDX-License-Identifier: Apache-2.0
// What is written, or left.
#include "launcher/host/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

TEST(FilesTest, WhereADirectoryHasTheNameNothingIsLeft) {
  const TestDirectory directory;
  std::filesystem::create_directory(directory / "report.html");
  EXPECT_NE(WriteFile(directory / "report.html", "text"), 0);
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory / "."))
    ++entries;
  EXPECT_EQ(entries, 1u);
}

// Where the user says so, nothing but a file is replaced: root could replace /dev/null.
TEST(FilesTest, OnlyAFileIsWrittenWhereTheUserSays) {
  const TestDirectory directory;
  EXPECT_EQ(OutputProblem(directory / "none"), "");
  ASSERT_EQ(WriteFile(directory / "file", "text"), 0);
  EXPECT_EQ(OutputProblem(directory / "file"), "");
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  ASSERT_EQ(symlink("file", (directory / "link").c_str()), 0);
  for (const auto& [path, what] :
       {std::pair("/dev/null", "a pipe or a device"), {"/dev", "a directory"}}) {
    EXPECT_NE(OutputProblem(path).find(what), std::string::npos) << path;
  }
  EXPECT_NE(OutputProblem(directory / "pipe").find("a pipe"), std::string::npos);
  EXPECT_NE(OutputProblem(directory / "link").find("a link"), std::string::npos);
}

TEST(FilesTest, APipeThatNobodyWritesIsNotWaitedFor) {
  const TestDirectory directory;
  std::string text;
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadNamedFile(directory / "pipe", &text), "it is no file, but a pipe or a device");
  EXPECT_EQ(ReadNamedFile("/dev/zero", &text), "it is no file, but a pipe or a device");
  EXPECT_EQ(ReadNamedFile(directory / "none", &text), "No such file or directory");
  ASSERT_EQ(WriteFile(directory / "file", "text"), 0);
  ASSERT_EQ(symlink("file", (directory / "link").c_str()), 0);
  EXPECT_EQ(ReadNamedFile(directory / "link", &text), "");
  EXPECT_EQ(text, "text");
}

}  // namespace
}  // namespace syncline
