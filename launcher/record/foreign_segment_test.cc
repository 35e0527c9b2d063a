// SPDX-License-Identifier: Apache-2.0
// Files without pages, as large as they like.
#include "launcher/record/foreign_segment.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <list>

#include "inject/core/sealed.h"

namespace syncline {
namespace {

class ForeignSegmentTest : public ::testing::Test {
 protected:
  void TearDown() override { close(offer_.memory_fd); }
  std::string Admit(ForeignSegment* segment, uint64_t bytes) {
    return segment->Admit(offer_, bytes, &all_);
  }

  std::atomic<uint64_t> all_{0};
  OfferedSegment offer_{7, -1, 65534, memfd_create("segment", MFD_ALLOW_SEALING), {}};
};

TEST_F(ForeignSegmentTest, OnlyMemoryThatStays) {
  ForeignSegment segment;
  EXPECT_NE(Admit(&segment, 4096).find("could take away again"), std::string::npos);
  SealSize(offer_.memory_fd);
  EXPECT_EQ(Admit(&segment, 4096), "");
}

TEST_F(ForeignSegmentTest, OneAndAllHaveABound) {
  SealSize(offer_.memory_fd);
  ForeignSegment large;
  EXPECT_NE(Admit(&large, kMostOfForeignSegment + 1).find("one process"), std::string::npos);
  EXPECT_NE(Admit(&large, UINT64_MAX).find("one process"), std::string::npos);
  EXPECT_EQ(all_.load(), 0u);
  std::list<ForeignSegment> many;
  uint64_t admitted = 0;
  while (admitted < 100000 && Admit(&many.emplace_back(), kMostOfForeignSegment).empty())
    ++admitted;
  EXPECT_EQ(admitted, kMostOfForeignSegments / kMostOfForeignSegment);
  EXPECT_NE(Admit(&large, 4096).find("other users"), std::string::npos);
  many.front().Release();
  many.front().Release();
  EXPECT_EQ(Admit(&large, 4096), "");
  many.clear();
  EXPECT_EQ(all_.load(), 4096u);
}

}  // namespace
}  // namespace syncline
