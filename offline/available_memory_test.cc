// SPDX-License-Identifier: Apache-2.0
// Tests of how much memory control groups leave.
#include "offline/available_memory.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

class AvailableMemoryTest : public ::testing::Test {
 protected:
  void Group(const std::string& path, const char* limit_file, const std::string& limit,
             const char* used_file, int used, const std::string& statistics = "") {
    std::filesystem::create_directories(directory_ / path);
    directory_.Write(Text(path, "/", limit_file), limit + "\n");
    directory_.Write(Text(path, "/", used_file), Text(used, "\n"));
    directory_.Write(path + "/memory.stat", statistics);
  }
  void Group2(const std::string& path, const std::string& limit, int used,
              const std::string& statistics = "") {
    Group(path, "memory.max", limit, "memory.current", used, statistics);
  }
  void Group1(const std::string& path, const std::string& limit, int used,
              const std::string& statistics = "") {
    Group(path, "memory.limit_in_bytes", limit, "memory.usage_in_bytes", used, statistics);
  }
  std::optional<uint64_t> Free(const std::string& membership) {
    return FreeInGroups(directory_.Write("membership", membership), directory_.path());
  }

  TestDirectory directory_;
};

TEST_F(AvailableMemoryTest, TheTightestGroupOfThoseAboveCounts) {
  Group2("a", "1000", 300);
  Group2("a/b", "max", 200);
  Group2("a/b/c", "900", 100);
  EXPECT_EQ(Free("0::/a/b/c\n"), 700u);
  Group2("a/b/c", "900", 950);
  EXPECT_EQ(Free("0::/a/b/c\n"), 0u);
}

TEST_F(AvailableMemoryTest, WhatIsOnlyCachedIsFree) {
  Group2("a", "1000", 900, "anon 300\nactive_file 100\ninactive_file 500\n");
  EXPECT_EQ(Free("0::/a\n"), 600u);
  Group1("memory/a", "1000", 900, "inactive_file 1\ntotal_inactive_file 1000\n");
  EXPECT_EQ(Free("3:memory:/a\n"), 1000u);
}

TEST_F(AvailableMemoryTest, GroupsOfVersionOne) {
  Group1("memory/slurm/job", "1000", 400);
  EXPECT_EQ(Free("7:cpu,cpuacct:/x\n4:hugetlb,memory:/slurm/job/step\n0::/\n"), 600u);
  EXPECT_EQ(Free("7:cpu,cpuacct:/slurm/job\n4:memory_like:/slurm/job\n"), std::nullopt);
}

// A container sees its own group at the top, and may be told the host's path.
TEST_F(AvailableMemoryTest, InAContainerTheTopmostFolderCounts) {
  Group1("memory", "500", 100);
  EXPECT_EQ(Free("4:memory:/docker/0123\n"), 400u);
  Group2(".", "300", 100);
  EXPECT_EQ(Free("4:memory:/docker/0123\n0::/../other\n"), 200u);
}

TEST_F(AvailableMemoryTest, WithoutLimitsThereIsNone) {
  Group2("a", "max", 300);
  EXPECT_EQ(Free("0::/a\n"), std::nullopt);
  EXPECT_EQ(Free("nonsense\n:\n"), std::nullopt);
  EXPECT_EQ(FreeInGroups(directory_ / "absent", directory_.path()), std::nullopt);
  EXPECT_GT(AvailableMemory(), uint64_t{16} << 20);
}

}  // namespace
}  // namespace syncline
