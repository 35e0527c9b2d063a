// SPDX-License-Identifier: Apache-2.0
// Which descriptors a spool takes, and what stops it.
#include "inject/consumer/spool_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace syncline {
namespace {

std::string NewPath() {
  return std::filesystem::temp_directory_path() / ("spool_file." + std::to_string(getpid()));
}

TEST(SpoolFile, ALimitOfFilesEndsNobody) {
  const std::string path = NewPath();
  DiskBudget budget{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile spool;
  ASSERT_TRUE(spool.Create(path.c_str(), &budget));
  const std::string half(600, 'x');
  ASSERT_TRUE(spool.Append(BlockType::kRecords, 0, half.data(), half.size()));
  const uint64_t before = spool.bytes();
  rlimit unlimited;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const rlimit small = {1000, unlimited.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_FALSE(spool.Append(BlockType::kRecords, 0, half.data(), half.size()));
  EXPECT_EQ(spool.error(), EFBIG);
  EXPECT_FALSE(spool.IsFull()) << "it does not pass";
  EXPECT_TRUE(spool.Append(BlockType::kCounters, 0, half.data(), 64));
  EXPECT_FALSE(spool.Replace(960, 1, BlockType::kCounters, half.data(), 64));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  EXPECT_FALSE(spool.Append(BlockType::kRecords, 0, half.data(), half.size()));
  EXPECT_EQ(spool.bytes(), std::filesystem::file_size(path));
  EXPECT_GT(spool.bytes(), before);
  spool.Close();
  unlink(path.c_str());
}

TEST(SpoolFile, LowDescriptorsAreTheProgramsOwn) {
  const std::string path = NewPath();
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
