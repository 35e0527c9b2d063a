// SPDX-License-Identifier: Apache-2.0
// Tests of a directory whose name changes.
#include "launcher/host/held_directory.h"

#include "launcher/host/files.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

TEST(HeldDirectoryTest, IsFollowedWhereverItGoes) {
  const TestDirectory directory;
  const std::string run = directory / "run", moved = directory / "moved";
  fs::create_directory(run);
  const std::string held = HoldDirectory(run);
  ASSERT_NE(held, run);
  EXPECT_EQ(NameOfHeld(held + "/x"), run + "/x");
  EXPECT_EQ(NameOfHeld(held + "0/x"), held + "0/x");  // another descriptor
  EXPECT_EQ(NameOfHeld("/elsewhere"), "/elsewhere");
  fs::rename(run, moved);
  fs::create_directory(directory / "other");
  fs::create_directory_symlink("other", run);
  ASSERT_EQ(WriteFile(held + "/x", "text"), 0);
  EXPECT_TRUE(Exists(moved + "/x"));
  EXPECT_EQ(NameOfHeld(held + "/x"), moved + "/x");
  EXPECT_EQ(WithNameOfHeld("wrote " + held + "/x, not " + held + "0/x"),
            "wrote " + moved + "/x, not " + held + "0/x");
  fs::remove_all(moved);
  EXPECT_EQ(NameOfHeld(held), run);  // what was asked for; there is no other name
  EXPECT_EQ(HoldDirectory(run), held);
  ASSERT_EQ(WriteFile(held + "/y", "text"), 0);
  EXPECT_TRUE(Exists(directory / "other/y"));
}

TEST(HeldDirectoryTest, OfNoDirectoryThePathStays) {
  const TestDirectory directory;
  EXPECT_EQ(HoldDirectory(directory / "none"), directory / "none");
}

}  // namespace
}  // namespace syncline
