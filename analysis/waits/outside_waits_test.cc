// SPDX-License-Identifier: Apache-2.0
// Calls that wait for something outside of the process.
#include "analysis/waits/outside_waits.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr auto kReceive = static_cast<uint8_t>(CallRole::kCommunicate);
constexpr auto kRead = static_cast<uint8_t>(CallRole::kRead);

WaitRules Rules() {
  WaitRules rules;
  rules.roles[RuleIndex(kReceive)] = {WaitsFor::kOutside, WaitClass::kPeer};
  rules.roles[RuleIndex(kRead)] = {WaitsFor::kOutside, WaitClass::kFile};
  return rules;
}

SourceCall Call(uint64_t begin_ns, uint64_t end_ns, uint8_t role) {
  SourceCall call;
  call.begin_ns = begin_ns;
  call.end_ns = end_ns;
  call.tid = 7;
  call.role = role;
  return call;
}

TEST(OutsideWaits, EachCallThatWaitsIsOneWaitByBegin) {
  CallRecords records;
  records.calls = {Call(50, 90, kRead), Call(10, 40, kReceive),
                   Call(60, 61, kReceive | kCallIsAsync),
                   Call(70, 71, static_cast<uint8_t>(CallRole::kOther))};
  records.calls[1].name = records.CallName("receive");
  const std::vector<Wait> waits = FindOutsideWaits(records, Rules());
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].begin_ns, 10u);
  EXPECT_EQ(waits[0].end_ns, 40u);
  EXPECT_EQ(waits[0].tid, 7u);
  EXPECT_EQ(records.call_names()[waits[0].name], "receive");
  EXPECT_EQ(waits[0].wait_class, WaitClass::kPeer);
  EXPECT_EQ(waits[0].gpu_idle_after_ns, kNothingFollows);
  EXPECT_EQ(waits[0].device, kNoId);
  EXPECT_EQ(waits[1].wait_class, WaitClass::kFile);
}

TEST(OutsideWaits, OfNestedCallsTheOuterOneWaits) {
  CallRecords records;
  records.calls = {Call(10, 90, kReceive), Call(20, 80, kRead)};
  records.calls[1].inner = true;
  const std::vector<Wait> waits = FindOutsideWaits(records, Rules());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].end_ns, 90u);
}

TEST(OutsideWaits, ACallThatNeverReturnedIsOpen) {
  CallRecords records;
  records.calls = {Call(10, 90, kReceive)};
  records.calls[0].open = true;
  const std::vector<Wait> waits = FindOutsideWaits(records, Rules());
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_TRUE(waits[0].open);
}

}  // namespace
}  // namespace syncline
