// SPDX-License-Identifier: Apache-2.0
// Which descriptors a spool takes.
#include "inject/consumer/spool_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace syncline {
namespace {

TEST(SpoolFile, LowDescriptorsAreTheProgramsOwn) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("spool_file." + std::to_string(getpid()));
  const int lowest = open("/dev/null", O_RDONLY);
  close(lowest);
  const auto expect_high = [lowest](const SpoolFile& spool) {
    EXPECT_GT(spool.descriptor(), lowest + 100);
    EXPECT_NE(fcntl(spool.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(fcntl(lowest, F_GETFD), -1);
  };
  DiskBudget budget{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile spool;
  spool.KeepHigh();
  ASSERT_TRUE(spool.Create(path.c_str(), &budget));
  expect_high(spool);
  close(spool.descriptor());  // the program closes what it did not open
  const SpoolProcess process = {};
  ASSERT_TRUE(spool.Append(BlockType::kProcess, 0, &process, sizeof(process)));
  expect_high(spool);
  static SegmentHeader segment;
  SetMark(&segment, {spool.bytes(), 0, spool.sequence(), kNoRing});
  spool.Close();
  SpoolFile again;
  again.KeepHigh();
  EXPECT_TRUE(again.Continue(open(path.c_str(), O_RDWR), path.c_str(), &budget, segment, true));
  expect_high(again);
  again.Close();
  unlink(path.c_str());
}

}  // namespace
}  // namespace syncline
