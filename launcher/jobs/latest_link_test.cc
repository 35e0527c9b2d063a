// SPDX-License-Identifier: Apache-2.0
// Tests of the link to the latest run.
#include "launcher/jobs/latest_link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class LatestLinkTest : public ::testing::Test {
 protected:
  // `minute`: when it was made.
  void MakeRun(const std::string& name, int minute) {
    fs::create_directories(directory_ / (name + "/run"));
    directory_.Write(name + "/run/job.json", "{}");
    const timespec times[2] = {{60 * minute, 0}, {60 * minute, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory_ / (name + "/run/job.json")).c_str(), times, 0), 0);
  }
  std::string Latest() const {
    std::error_code none;
    return fs::read_symlink(link_, none).string();
  }

  TestDirectory directory_;
  const std::string link_ = directory_ / "latest";
};

TEST_F(LatestLinkTest, PointsToTheLastOne) {
  PointLatestTo(directory_.path(), "a");
  EXPECT_EQ(Latest(), "a");
  PointLatestTo(directory_.path(), "b");
  EXPECT_EQ(Latest(), "b");
}

TEST_F(LatestLinkTest, WhatIsTheUsersStays) {
  directory_.Write("latest", "notes");
  PointLatestTo(directory_.path(), "a");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(link_)));
  fs::remove(link_);
  fs::create_directory(link_);
  PointLatestTo(directory_.path(), "a");
  PointLatestAway(directory_.path(), "a");
  EXPECT_TRUE(fs::is_directory(fs::symlink_status(link_)));
  fs::remove(link_);
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(LatestLinkTest, TheLastRunIsTheLinksElseTheNewest) {
  EXPECT_EQ(LatestRun(directory_.path()), "");
  MakeRun("old", 1);
  MakeRun("new", 2);
  EXPECT_EQ(LatestRun(directory_.path()), "new") << "no link: a file system may have none";
  PointLatestTo(directory_.path(), "old");
  EXPECT_EQ(LatestRun(directory_.path()), "old");
  PointLatestTo(directory_.path(), "gone");
  EXPECT_EQ(LatestRun(directory_.path()), "new");
  PointLatestTo(directory_.path(), "../elsewhere");
  EXPECT_EQ(LatestRun(directory_.path()), "new");
}

TEST_F(LatestLinkTest, GoesBackToTheNewestOfTheOthers) {
  MakeRun("z", 1);
  MakeRun("b", 3);
  MakeRun("m", 2);
  fs::create_directory(directory_ / "no-run");
  PointLatestTo(directory_.path(), "gone");
  PointLatestAway(directory_.path(), "gone");
  EXPECT_EQ(Latest(), "b");
  PointLatestAway(directory_.path(), "gone");
  PointLatestAway(directory_.path(), "z");
  EXPECT_EQ(Latest(), "b") << "it did not point there";
}

TEST_F(LatestLinkTest, IsRemovedWithTheOnlyRun) {
  PointLatestTo(directory_.path(), "gone");
  PointLatestAway(directory_.path(), "gone");
  EXPECT_FALSE(fs::exists(fs::symlink_status(link_)));
}

}  // namespace
}  // namespace syncline
