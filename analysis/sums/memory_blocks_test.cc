// SPDX-License-Identifier: Apache-2.0
// How long blocks stand, what they are for, and what grows.
#include "analysis/sums/memory_blocks.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "analysis/sums/memory_growth.h"

namespace syncline {
namespace {

// Events of one device, as allocators tell of them.
class Device {
 public:
  Device& Take(uint64_t at, uint64_t address, uint64_t bytes,
               TrainingPhase phase = TrainingPhase::kOther, uint64_t phase_end_ns = 0) {
    allocated_ += bytes;
    if (allocated_ > held_) held_ = allocated_;
    return Add(at, address, static_cast<int64_t>(bytes), phase, phase_end_ns);
  }
  Device& Give(uint64_t at, uint64_t address, uint64_t bytes) {
    allocated_ -= bytes;
    return Add(at, address, -static_cast<int64_t>(bytes), TrainingPhase::kOther, 0);
  }
  Device& Hold(uint64_t bytes) {
    held_ = bytes;
    return *this;
  }
  const std::vector<MemoryEvent>& events() const { return events_; }

 private:
  Device& Add(uint64_t at, uint64_t address, int64_t bytes, TrainingPhase phase,
              uint64_t phase_end_ns) {
    MemoryEvent event;
    event.at_ns = at;
    event.address = address;
    event.bytes = bytes;
    event.allocated = allocated_;
    event.held = held_;
    event.phase = phase;
    event.phase_end_ns = phase_end_ns;
    events_.push_back(event);
    return *this;
  }

  std::vector<MemoryEvent> events_;
  uint64_t allocated_ = 0;
  uint64_t held_ = 0;
};

class MemoryBlocksTest : public ::testing::Test {
 protected:
  ProgramRun run_;
  OwnCode own_;
  MemoryEvents texts_{&run_, own_, 100};
};

TEST_F(MemoryBlocksTest, ABlockStandsUntilItIsGivenBackOrItsAddressIsTakenAgain) {
  Device device;
  device.Take(10, 1, 5).Take(20, 2, 7).Give(30, 1, 5).Take(40, 2, 9);
  const std::vector<BlockLife> lives = LivesOf(device.events(), {});
  ASSERT_EQ(lives.size(), 3u);
  EXPECT_EQ(lives[0].end_ns, 30u);
  EXPECT_EQ(lives[1].end_ns, 40u) << "that it was given back was not recorded";
  EXPECT_EQ(lives[2].end_ns, UINT64_MAX);
}

TEST_F(MemoryBlocksTest, NobodyKnowsABlockBehindATimeInWhichNothingWasRecorded) {
  Device device;
  device.Take(10, 1, 5).Take(100, 2, 7);
  const std::vector<BlockLife> lives = LivesOf(device.events(), {{50, 90}});
  EXPECT_EQ(lives[0].end_ns, 50u);
  const MemoryMoment moment = StandingAt(device.events().back(), lives, texts_);
  EXPECT_EQ(moment.allocated, 12u);
  EXPECT_EQ(moment.unknown, 5u);
}

TEST_F(MemoryBlocksTest, AClassIsKnownByWhenABlockIsTakenAndHowLongItStands) {
  const std::vector<CoverageGap> backward = {{100, 200}, {300, 400}, {500, 600}};
  const auto of = [&](uint64_t begin, uint64_t end, TrainingPhase phase = TrainingPhase::kOther,
                      uint64_t phase_end = 0) {
    return ClassOf({begin, end, 1, 0, 0, phase, phase_end}, backward);
  };
  EXPECT_EQ(of(10, UINT64_MAX), BlockClass::kWeights);
  EXPECT_EQ(of(10, 250), BlockClass::kActivations) << "of the first step";
  EXPECT_EQ(of(10, 450), BlockClass::kWeights);
  EXPECT_EQ(of(250, 350), BlockClass::kActivations);
  EXPECT_EQ(of(250, 450), BlockClass::kActivations) << "until the next forward replaces it";
  EXPECT_EQ(of(250, 650), BlockClass::kKept);
  EXPECT_EQ(of(150, 160, TrainingPhase::kBackward, 200), BlockClass::kTemporary);
  EXPECT_EQ(of(150, 250, TrainingPhase::kBackward, 200), BlockClass::kGradients);
  EXPECT_EQ(of(210, 215, TrainingPhase::kOptimizer, 220), BlockClass::kTemporary);
  EXPECT_EQ(of(210, UINT64_MAX, TrainingPhase::kOptimizer, 220), BlockClass::kState);
  EXPECT_EQ(ClassOf({10, 20, 1, 0, 0, TrainingPhase::kOther, 0}, {}), BlockClass::kUnknown);
}

TEST_F(MemoryBlocksTest, WhatStoodIsSummedByClass) {
  Device device;
  device.Take(10, 1, 5).Take(20, 2, 7).Take(30, 3, 100).Give(40, 3, 100);
  const std::vector<BlockLife> lives = LivesOf(device.events(), {});
  const MemoryMoment moment = StandingAt(device.events()[2], lives, texts_);
  ASSERT_EQ(moment.groups.size(), 1u);
  EXPECT_EQ(moment.groups[0].bytes, 112u);
  EXPECT_EQ(moment.groups[0].count, 3u);
  EXPECT_EQ(moment.unknown, 0u);
  EXPECT_EQ(StandingAt(device.events()[3], lives, texts_).groups[0].bytes, 12u);
}

std::vector<CoverageGap> Steps(size_t count) {
  std::vector<CoverageGap> steps;
  for (size_t i = 0; i < count; ++i) steps.push_back({100 * i, 100 * i + 100});
  return steps;
}

TEST_F(MemoryBlocksTest, WhatEachStepLeavesGrows) {
  Device device;
  for (uint64_t step = 0; step < 8; ++step) {
    device.Take(100 * step + 10, 1000 + step, 4);  // stays
    device.Take(100 * step + 20, 1, 50).Give(100 * step + 90, 1, 50);
  }
  const auto grown = GrowthOf(LivesOf(device.events(), {}), Steps(8), texts_);
  ASSERT_EQ(grown.size(), 1u);
  EXPECT_EQ(grown[0].of_steps, 5u);
  EXPECT_EQ(grown[0].steps, 5u);
  EXPECT_EQ(grown[0].bytes, 20u);
  EXPECT_TRUE(GrowthOf(LivesOf(device.events(), {}), Steps(5), texts_).empty()) << "too few";
}

TEST_F(MemoryBlocksTest, WhatFewStepsLeaveDoesNotGrow) {
  Device device;
  device.Take(10, 1, 5).Take(110, 2, 5).Take(210, 3, 5).Take(610, 4, 5).Take(710, 5, 5);
  EXPECT_TRUE(GrowthOf(LivesOf(device.events(), {}), Steps(8), texts_).empty());
}

TEST_F(MemoryBlocksTest, PiecesAreWhatIsFreeAndOfNoUse) {
  Device device;
  device.Take(10, 1, 40).Take(20, 2, 40).Take(30, 3, 40).Give(40, 1, 40).Give(50, 3, 40);
  device.Hold(180).Take(60, 4, 60);   // 80 were free
  device.Hold(300).Take(70, 5, 120);  // 80 were free: too few
  const MemoryPieces pieces = PiecesOf(device.events(), 10, texts_);
  EXPECT_EQ(pieces.times, 1u);
  EXPECT_EQ(pieces.free, 80u);
  EXPECT_EQ(pieces.needed, 60u);
  EXPECT_EQ(pieces.held, 120u);
  EXPECT_EQ(pieces.asked, 60u);
  EXPECT_EQ(PiecesOf(device.events(), 60, texts_).times, 0u) << "small ones lie apart";
}

}  // namespace
}  // namespace syncline
