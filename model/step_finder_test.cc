// SPDX-License-Identifier: Apache-2.0
// Which ranges are steps, how they are counted, and where they end.
#include "model/step_finder.h"

#include <gtest/gtest.h>

#include "model/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint64_t kNever = UINT64_MAX;

class StepFinderTest : public ::testing::Test {
 protected:
  struct Span {
    uint64_t begin, end;
    std::string name;
    bool operator==(const Span&) const = default;
  };

  StepFinderTest() {
    batch.Stream(1, 42, true).Name(1, "step 1").Name(2, "step 2").Name(3, "load").Name(4, "steps");
  }

  std::vector<Span> Find(const std::string& pattern, uint32_t tid = 42) {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(42)).Records(0, batch);
    if (other.bytes().size() != 0) spool.Records(1, other);
    spool.End(kStartTicks + 1000, true, 0);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    StepFinder finder(pattern);
    EXPECT_TRUE(reader.Read(&finder).ok());
    std::vector<Span> spans;
    const StepsOfThreads found = finder.Take();
    if (!found.contains(tid)) return spans;
    for (const FoundStep& step : found.at(tid)) {
      spans.push_back({step.begin - kStartTicks,
                       step.end == kNever ? kNever : step.end - kStartTicks, step.name});
    }
    return spans;
  }
  RecordBatch& Range(uint32_t name, uint64_t begin, uint64_t end) {
    return batch.Range(name, kStartTicks + begin, kStartTicks + end);
  }

  testing::Scratch scratch;
  RecordBatch batch, other;
};

TEST_F(StepFinderTest, AStepReachesToTheNextOne) {
  Range(3, 1, 5);
  Range(1, 10, 20);
  Range(3, 21, 29);
  Range(2, 30, 40);
  Range(3, 41, 49);
  const std::vector<Span> both = {{10, 30, "step 1"}, {30, 40, "step 2"}};
  EXPECT_EQ(Find("step *"), both);
  EXPECT_EQ(Find("step ?"), both);
  EXPECT_EQ(Find("step 2"), (std::vector<Span>{{30, 40, "step 2"}}));
  EXPECT_EQ(Find("stp*"), std::vector<Span>());
}

TEST_F(StepFinderTest, AStepInsideAStepIsPartOfIt) {
  Range(2, 12, 14);  // popped first
  Range(1, 10, 20);
  Range(1, 30, 35);
  EXPECT_EQ(Find("step*"), (std::vector<Span>{{10, 30, "step 1"}, {30, 35, "step 1"}}));
}

TEST_F(StepFinderTest, OfTwoThatBeginTogetherTheOuterOneCounts) {
  Range(2, 10, 14);
  Range(1, 10, 20);
  EXPECT_EQ(Find("step*"), (std::vector<Span>{{10, 20, "step 1"}}));
}

TEST_F(StepFinderTest, EachThreadCountsItsOwn) {
  Range(1, 10, 20);
  other.Stream(2, 43).Name(1, "step 1");
  other.Range(1, kStartTicks + 5, kStartTicks + 6).Range(1, kStartTicks + 15, kStartTicks + 16);
  EXPECT_EQ(Find("step*", 42), (std::vector<Span>{{10, 20, "step 1"}}));
  EXPECT_EQ(Find("step*", 43), (std::vector<Span>{{5, 15, "step 1"}, {15, 16, "step 1"}}));
}

TEST_F(StepFinderTest, StartedRangesAreStepsOfTheThreadThatStartedThem) {
  batch.Start(1, kStartTicks + 10, 7).Start(2, kStartTicks + 30, 8, 1);
  other.Stream(2, 43).End(kStartTicks + 20, 7);
  EXPECT_EQ(Find("step*"), (std::vector<Span>{{10, 30, "step 1"}, {30, kNever, "step 2"}}));
  EXPECT_EQ(Find("step*", 43), std::vector<Span>());
}

}  // namespace
}  // namespace syncline
