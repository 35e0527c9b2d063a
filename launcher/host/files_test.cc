// SPDX-License-Identifier: Apache-2.0
// What is written, or left.
#include "launcher/host/files.h"

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

}  // namespace
}  // namespace syncline
