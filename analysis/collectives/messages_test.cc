// SPDX-License-Identifier: Apache-2.0
// Ranks that send to each other, at times whose waits can be told by hand.
#include "analysis/collectives/messages.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kPair = 7;  // a communicator

RankCollectives RankWith(int rank, uint32_t own) {
  RankCollectives part;
  part.rank = rank;
  part.own[kPair] = own;
  part.error_ns = 10;
  part.clock.machine = "one";
  return part;
}

void AddMessage(RankCollectives* rank, bool sends, uint32_t peer, uint32_t sequence,
                uint64_t begin_ns, uint64_t end_ns) {
  Message message;
  message.communicator = kPair;
  message.sends = sends;
  message.peer = peer;
  message.sequence = sequence;
  message.begin_ns = begin_ns;
  message.end_ns = end_ns;
  rank->messages.push_back(message);
}

void ExpectMessageWait(const std::optional<MessageWait>& wait, int other, uint64_t waited_ns) {
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->other, other);
  EXPECT_EQ(wait->waited_ns, waited_ns);
}

uint64_t LeftOutOf(const MessageWaits& waits, size_t rank, LeftOut why) {
  return waits.left_out[rank][static_cast<size_t>(why)];
}

// Ranks of the job are not those of the communicator.
TEST(Messages, WhoComesFirstWaits) {
  std::vector<RankCollectives> ranks = {RankWith(4, 1), RankWith(2, 0)};
  AddMessage(&ranks[0], true, 0, 0, 5000, 5500);
  AddMessage(&ranks[0], true, 0, 1, 6000, 9500);
  AddMessage(&ranks[0], true, 0, 2, 10'000, 10'500);
  AddMessage(&ranks[1], false, 1, 0, 1000, 5600);
  AddMessage(&ranks[1], false, 1, 1, 9000, 9600);
  AddMessage(&ranks[1], false, 1, 2, 9990, 10'600);
  const MessageWaits found = FindMessageWaits(ranks);
  ExpectMessageWait(found.waits[1][0], 4, 4000);
  ExpectMessageWait(found.waits[0][0], 2, 0);
  ExpectMessageWait(found.waits[1][1], 4, 0);
  ExpectMessageWait(found.waits[0][1], 2, 3000);
  ExpectMessageWait(found.waits[1][2], 4, 0);  // the clocks cannot tell
  ExpectMessageWait(found.waits[0][2], 2, 0);
}

TEST(Messages, ASendThatWasOverWaitedForNobody) {
  std::vector<RankCollectives> ranks = {RankWith(0, 0), RankWith(1, 1)};
  AddMessage(&ranks[0], true, 1, 0, 1000, 1100);
  AddMessage(&ranks[1], false, 0, 0, 9000, 9100);
  const MessageWaits found = FindMessageWaits(ranks);
  ExpectMessageWait(found.waits[0][0], 1, 0);
  ExpectMessageWait(found.waits[1][0], 0, 0);
}

// Both directions and both ends of one pair have their own numbers.
TEST(Messages, DirectionsDoNotMix) {
  std::vector<RankCollectives> ranks = {RankWith(0, 0), RankWith(1, 1)};
  AddMessage(&ranks[0], true, 1, 0, 1000, 3500);
  AddMessage(&ranks[0], false, 1, 0, 4000, 9000);
  AddMessage(&ranks[1], false, 0, 0, 3000, 3600);
  AddMessage(&ranks[1], true, 0, 0, 8000, 9000);
  const MessageWaits found = FindMessageWaits(ranks);
  ExpectMessageWait(found.waits[0][0], 1, 2000);
  ExpectMessageWait(found.waits[0][1], 1, 4000);
}

TEST(Messages, ClocksOfOneMachineDifferByTheirOffsets) {
  std::vector<RankCollectives> ranks = {RankWith(0, 0), RankWith(1, 1)};
  ranks[1].clock.offset_ns = 1'000'000;
  AddMessage(&ranks[0], true, 1, 0, 5000, 5500);
  AddMessage(&ranks[1], false, 0, 0, 1'001'000, 1'005'600);
  ExpectMessageWait(FindMessageWaits(ranks).waits[1][0], 0, 4000);
  ranks[1].clock.machine = "another";
  const MessageWaits found = FindMessageWaits(ranks);
  EXPECT_FALSE(found.waits[1][0]);
  EXPECT_EQ(LeftOutOf(found, 0, LeftOut::kClocks), 1u);
  EXPECT_EQ(LeftOutOf(found, 1, LeftOut::kClocks), 1u);
}

TEST(Messages, NothingIsSaidFromTheOneOnThatCannotHaveMet) {
  std::vector<RankCollectives> ranks = {RankWith(0, 0), RankWith(1, 1)};
  AddMessage(&ranks[0], true, 1, 0, 5000, 5500);
  AddMessage(&ranks[0], true, 1, 1, 6000, 6500);
  AddMessage(&ranks[1], false, 0, 0, 1000, 2000);  // over before that was sent
  AddMessage(&ranks[1], false, 0, 1, 2000, 6600);
  const MessageWaits found = FindMessageWaits(ranks);
  EXPECT_FALSE(found.waits[0][0]);
  EXPECT_FALSE(found.waits[0][1]);
  EXPECT_EQ(LeftOutOf(found, 1, LeftOut::kMismatch), 2u);
}

TEST(Messages, WithoutTheOtherEndNothingIsSaid) {
  std::vector<RankCollectives> ranks = {RankWith(0, 0), RankWith(1, 1), RankWith(2, 2)};
  AddMessage(&ranks[0], true, 1, 0, 1000, 3500);
  AddMessage(&ranks[1], true, 2, 0, 1000, 3500);
  AddMessage(&ranks[2], false, 1, 0, 2000, 3500);
  ranks[2].complete = false;
  const MessageWaits found = FindMessageWaits(ranks);
  EXPECT_FALSE(found.waits[0][0]);
  EXPECT_FALSE(found.waits[1][0]);
  EXPECT_EQ(LeftOutOf(found, 0, LeftOut::kKernelMissing), 1u);
  EXPECT_EQ(LeftOutOf(found, 1, LeftOut::kKernelMissing), 1u);
  EXPECT_EQ(LeftOutOf(found, 2, LeftOut::kRecordsLost), 1u);
}

}  // namespace
}  // namespace syncline
