// SPDX-License-Identifier: Apache-2.0
// Tests of what is removed, and what is not, of processes that were killed while they began to
// record. (Segments with records: the end-to-end tests that kill.)
#include "inject/consumer/left_segments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inject/consumer/spool_file.h"
#include "inject/core/process_facts.h"
#include "inject/core/spool_format.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr char kDead[] = "999999999-1-0";  // a pid above the kernel's limit

class LeftSegments : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("left_segments." + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void File(const std::string& name, const std::string& content = "") {
    std::ofstream(folder_ / name) << content;
  }
  void Link(const std::string& stem, const std::string& target) {
    fs::create_symlink(folder_ / target, folder_ / (stem + ".segment"));
  }
  int Drain(bool here) {
    int reports = 0;
    DrainLeftSegments(folder_.string(), here, 0, [&](const LeftSegment& left) {
      ++reports;
      last_ = left;
    });
    return reports;
  }
  bool There(const std::string& name) const {
    return fs::exists(fs::symlink_status(folder_ / name));
  }

  fs::path folder_;
  LeftSegment last_;
};

TEST_F(LeftSegments, KilledBeforeTheFileWasMade) {
  Link(kDead, "syncline-999999999-1-0.segment");
  EXPECT_EQ(Drain(true), 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LeftSegments, KilledBeforeTheSpoolWasWritten) {
  Link(kDead, "syncline-999999999-1-0.segment");
  File("syncline-999999999-1-0.segment", "no header yet");
  File("999999999-1-0.spool");
  EXPECT_EQ(Drain(true), 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LeftSegments, KilledWhileTheFirstBlockWasWritten) {
  BlockHead head{
      kBlockMagic, static_cast<uint16_t>(BlockType::kProcess), kSpoolVersion, 0, 0, 0, 0};
  head.bytes = sizeof(SpoolProcess);
  std::string spool(reinterpret_cast<const char*>(&head), sizeof(head));
  spool.append(sizeof(SpoolProcess) / 2, 'x');
  for (const size_t bytes : {size_t{2}, size_t{10}, sizeof(head), spool.size()}) {
    Link(kDead, "syncline-999999999-1-0.segment");
    File("syncline-999999999-1-0.segment", "a header");
    File("999999999-1-0.spool", spool.substr(0, bytes));
    EXPECT_EQ(Drain(true), 0) << bytes;
    EXPECT_TRUE(fs::is_empty(folder_)) << bytes;
  }
}

TEST_F(LeftSegments, OfAnotherNodeItMayStillBecomeOne) {
  Link(kDead, "syncline-999999999-1-0.segment");
  EXPECT_EQ(Drain(false), 0);
  EXPECT_TRUE(There(std::string(kDead) + ".segment"));
}

TEST_F(LeftSegments, OfAProcessThatRuns) {
  ProcessFacts facts;
  FillProcessFacts(&facts);
  const std::string stem =
      std::to_string(facts.pid) + "-" + std::to_string(facts.start_time) + "-0";
  Link(stem, "syncline-" + stem + ".segment");
  File("syncline-" + stem + ".segment");
  EXPECT_EQ(Drain(true), 0);
  EXPECT_TRUE(There(stem + ".segment"));
  EXPECT_TRUE(There("syncline-" + stem + ".segment"));
}

TEST_F(LeftSegments, AForeignFileIsNotRemoved) {
  Link(kDead, "diary");
  File("diary", "dear diary");
  EXPECT_EQ(Drain(true), 0);
  EXPECT_TRUE(There("diary"));
}

TEST_F(LeftSegments, AForeignFileIsNoSegment) {
  Link(kDead, "diary");
  File("diary", std::string(1 << 20, 'x'));
  File(std::string(kDead) + ".spool", "records");
  ASSERT_EQ(Drain(true), 1);
  EXPECT_NE(last_.problem.find("is not a segment"), std::string::npos) << last_.problem;
  EXPECT_TRUE(There("diary"));
}

// Somebody made a directory in which a link names the memory of another user's process.
TEST_F(LeftSegments, MemoryOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string segment = "syncline-999999999-1-0.segment";
  const std::string spool = std::string(kDead) + ".spool";
  constexpr uid_t kNobody = 65534;
  for (const bool with_records : {true, false}) {
    for (const std::string& foreign :
         {segment, spool, std::string(kDead) + ".segment", std::string()}) {
      if (foreign == spool && !with_records) continue;
      Link(kDead, segment);
      File(segment, std::string(1 << 20, 'x'));
      File(spool, with_records ? "records" : "");
      const fs::path path = foreign.empty() ? folder_ : folder_ / foreign;
      ASSERT_EQ(lchown(path.c_str(), kNobody, kNobody), 0);
      EXPECT_EQ(Drain(true), with_records ? 1 : 0);
      if (with_records) {
        EXPECT_EQ(last_.problem.find("is not a segment"), std::string::npos) << last_.problem;
      }
      EXPECT_TRUE(There(segment)) << foreign;
      EXPECT_TRUE(There(spool)) << foreign;
      EXPECT_TRUE(There(std::string(kDead) + ".segment")) << foreign;
      fs::remove_all(folder_);
      fs::create_directories(folder_);
    }
  }
}

TEST_F(LeftSegments, MemoryOfAnotherNode) {
  Link(kDead, "syncline-999999999-1-0.segment");
  File(std::string(kDead) + ".spool", "records");
  ASSERT_EQ(Drain(false), 1);
  EXPECT_TRUE(last_.elsewhere);
  EXPECT_TRUE(There(std::string(kDead) + ".segment"));
}

TEST_F(LeftSegments, MemoryThatWasRemoved) {
  Link(kDead, "syncline-999999999-1-0.segment");
  File(std::string(kDead) + ".spool", "records");
  ASSERT_EQ(Drain(true), 1);
  EXPECT_TRUE(last_.gone);
  EXPECT_FALSE(last_.elsewhere);
  EXPECT_FALSE(There(std::string(kDead) + ".segment"));
  EXPECT_TRUE(There(std::string(kDead) + ".spool"));
}

// Another command has just drained it: what it removes next is the link.
TEST_F(LeftSegments, MemoryThatAnotherHasDrained) {
  Link(kDead, "syncline-999999999-1-0.segment");
  const std::string spool = folder_ / (std::string(kDead) + ".spool");
  DiskBudget budget{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile writer;
  const SpoolEnd end = {};
  ASSERT_TRUE(writer.Create(spool.c_str(), &budget));
  ASSERT_TRUE(writer.Append(BlockType::kLog, 0, "a line", 6));
  ASSERT_TRUE(writer.Append(BlockType::kEnd, 0, &end, sizeof(end)));
  writer.Close();
  ASSERT_EQ(Drain(true), 1);
  EXPECT_FALSE(last_.gone);
  EXPECT_FALSE(last_.elsewhere);
  EXPECT_EQ(last_.problem, "");
}

// Its pid is another one here, or means another process: in a container beside this one.
TEST_F(LeftSegments, MemoryOfAWriterThatLivesUnseen) {
  Link(kDead, "syncline-999999999-1-0.segment");
  const std::string spool = folder_ / (std::string(kDead) + ".spool");
  DiskBudget budget{UINT64_MAX, UINT64_MAX, 0, {}};
  SpoolFile writer;
  ASSERT_TRUE(writer.Create(spool.c_str(), &budget));
  ASSERT_TRUE(writer.Append(BlockType::kLog, 0, "a line", 6));
  ASSERT_EQ(Drain(true), 1);
  EXPECT_TRUE(last_.elsewhere);
  EXPECT_TRUE(There(std::string(kDead) + ".segment"));
  writer.Close();
  ASSERT_EQ(Drain(true), 1);
  EXPECT_TRUE(last_.gone);
}

}  // namespace
}  // namespace syncline
