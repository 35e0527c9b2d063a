// SPDX-License-Identifier: Apache-2.0
// Which ranges are steps, how they are counted, and where they end.
#include "model/run/step_finder.h"

#include <gtest/gtest.h>

#include "model/spool/spool_reader.h"
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
  struct Numbered {
    uint64_t begin, end, number;
    bool operator==(const Numbered&) const = default;
  };

  StepFinderTest() {
    batch.Stream(1, 42, true).Name(1, "step 1").Name(2, "step 2").Name(3, "load").Name(4, "steps");
  }

  StepsOfThreads FindAll(const std::string& pattern) {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(42)).Records(0, batch);
    if (other.bytes().size() != 0) spool.Records(1, other);
    spool.End(kStartTicks + 1000, true, 0);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    StepFinder finder(pattern);
    EXPECT_TRUE(reader.Read(&finder).ok());
    return finder.Take();
  }
  static uint64_t Since(uint64_t ticks) { return ticks == kNever ? kNever : ticks - kStartTicks; }
  std::vector<Span> Find(const std::string& pattern, uint32_t tid = 42) {
    std::vector<Span> spans;
    StepsOfThreads found = FindAll(pattern);
    for (const FoundStep& step : found[tid])
      spans.push_back({Since(step.begin), Since(step.end), step.name});
    return spans;
  }
  std::vector<Numbered> FindNumbered(uint32_t tid = 42) {
    std::vector<Numbered> steps;
    StepsOfThreads found = FindAll("step ?");
    for (const FoundStep& step : found[tid])
      steps.push_back({Since(step.begin), Since(step.end), step.number});
    return steps;
  }
  RecordBatch& Range(uint32_t name, uint64_t begin, uint64_t end) {
    return batch.Range(name, kStartTicks + begin, kStartTicks + end);
  }
  // A step that the process counted, just before its range.
  void Step(uint64_t begin, uint64_t end, uint32_t number) {
    batch.Gate(GateEvent::kStepBegins, kStartTicks + begin, 1, 42, 0, number);
    Range(1, begin, end);
  }
  void Closed(uint64_t at, uint8_t reasons = kNoStep) {
    batch.Gate(GateEvent::kClosed, kStartTicks + at, 2, 42, reasons);
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

TEST_F(StepFinderTest, WithoutAGateStepsCountFromZero) {
  Range(1, 10, 20);
  Range(1, 30, 40);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 30, 0}, {30, 40, 1}}));
}

TEST_F(StepFinderTest, NumbersAreThoseOfTheProcess) {
  Step(10, 20, 5);
  Step(30, 40, 6);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 30, 5}, {30, 40, 6}}));
}

TEST_F(StepFinderTest, AfterALostCountTheNextNumberFollows) {
  Step(10, 20, 5);
  Range(1, 30, 40);
  Range(1, 50, 60);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 30, 5}, {30, 50, 6}, {50, 60, 7}}));
}

TEST_F(StepFinderTest, AThreadThatTheProcessDoesNotCountHasNoSteps) {
  Step(10, 20, 5);
  other.Stream(2, 43).Name(1, "step 1");
  other.Range(1, kStartTicks + 12, kStartTicks + 13);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 20, 5}}));
  EXPECT_EQ(FindNumbered(43), std::vector<Numbered>());
}

TEST_F(StepFinderTest, AStepEndsWhereOneBeginsThatIsNotRecorded) {
  Step(10, 20, 0);
  Step(30, 40, 1);
  Closed(45);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 30, 0}, {30, 45, 1}}));
}

TEST_F(StepFinderTest, EachCyclesLastStepEndsWhereTheGateClosed) {
  Closed(45);
  Closed(95);
  Step(60, 70, 8);  // in any order
  Step(80, 90, 9);
  Step(10, 20, 3);
  Step(30, 40, 4);
  EXPECT_EQ(FindNumbered(),
            (std::vector<Numbered>{{10, 30, 3}, {30, 45, 4}, {60, 80, 8}, {80, 95, 9}}));
}

TEST_F(StepFinderTest, ClosedForAnotherReasonNoStepHasBegun) {
  Step(10, 20, 0);
  Closed(25, kNoStage);
  Step(30, 40, 1);
  Closed(45, kExcluded);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 30, 0}, {30, 40, 1}}));
}

TEST_F(StepFinderTest, AClosingInsideAStepDoesNotEndIt) {
  Step(10, 20, 0);
  Closed(15);
  Closed(24, kNoStep | kNoStage);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 24, 0}}));
}

// Step 1 began while an excluded range was open, so that no change tells of it.
TEST_F(StepFinderTest, AStepDoesNotReachOverOneThatWasNotRecorded) {
  Step(10, 20, 0);
  Closed(22, kExcluded);
  Step(50, 60, 2);
  EXPECT_EQ(FindNumbered(), (std::vector<Numbered>{{10, 20, 0}, {50, 60, 2}}));
}

}  // namespace
}  // namespace syncline
