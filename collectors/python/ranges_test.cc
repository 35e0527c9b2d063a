// SPDX-License-Identifier: Apache-2.0
// Ranges of functions as they are entered and left, in order and out of order.
#include "collectors/python/ranges.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "inject/core/emit.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {
namespace {

constexpr python::Chosen kOuter = {"m.outer", 7, nullptr};
constexpr python::Chosen kInner = {"m.inner", 7, nullptr};
constexpr python::Chosen kOther = {"m.other", 7, nullptr};

class PythonRanges : public ::testing::Test {
 protected:
  void SetUp() override { ResetSession(); }
  void TearDown() override {
    EXPECT_EQ(ReadTrace().errors, std::vector<std::string>());
    EXPECT_EQ(AllLosses(), 0u);
    uint32_t depth;
    OpenRanges(&depth);
    EXPECT_EQ(depth, 0u);
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const TraceEvent& event : ReadTrace().Of(RecordKind::kRange)) names.push_back(event.name);
    return names;
  }
};

TEST_F(PythonRanges, NestInTheirDomain) {
  python::Enter(kOuter);
  for (int i = 0; i < 2; ++i) {
    python::Enter(kInner);
    python::Leave(kInner);
  }
  python::Leave(kOuter);
  Trace trace = ReadTrace();
  const TraceEvent outer = trace.One(RecordKind::kRange, "m.outer");
  EXPECT_EQ(outer.domain, "py");
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events[0].name, "m.inner");
  EXPECT_EQ(trace.events[0].depth, 1u);
  EXPECT_LE(outer.begin, trace.events[0].begin);
  EXPECT_LE(trace.events[1].end, outer.end);
  EXPECT_EQ(trace.definitions, 3);
}

TEST_F(PythonRanges, ALeaveWithoutAnEnterIsIgnored) {
  python::Leave(kOuter);
  python::Enter(kInner);
  python::Leave(kOuter);
  python::Leave(kInner);
  python::Leave(kInner);
  EXPECT_EQ(Names(), std::vector<std::string>({"m.inner"}));
}

TEST_F(PythonRanges, WhatWasNotLeftEndsWithTheFunctionAroundIt) {
  python::Enter(kOther);
  python::Enter(kOuter);
  python::Enter(kInner);
  python::Leave(kOuter);
  python::Leave(kInner);  // as a greenlet does that was switched away from
  python::Leave(kOther);
  EXPECT_EQ(Names(), std::vector<std::string>({"m.inner", "m.outer", "m.other"}));
}

TEST_F(PythonRanges, ARecursionDeeperThanTheStackComesBack) {
  for (uint32_t i = 0; i < kMaxOpenRanges + 10; ++i) python::Enter(kOuter);
  for (uint32_t i = 0; i < kMaxOpenRanges + 10; ++i) python::Leave(kOuter);
  EXPECT_EQ(Names().size(), size_t{kMaxOpenRanges});
  EXPECT_EQ(Losses(kLoss_too_deep), 10u);
  ResetSession();
}

// Two functions whose names share a place in the thread's cache, each of which makes the other's
// forgotten.
TEST_F(PythonRanges, ANameThatWasForgottenIsLeftAsItWasEntered) {
  python::Enter(kInner);  // the thread has its log from here on
  python::Leave(kInner);
  std::vector<python::Chosen> functions(400, kOther);
  const python::Chosen& one = functions[0];
  size_t at = 1;
  while (at < functions.size() && &NameSlot(*t_log, &functions[at]) != &NameSlot(*t_log, &one))
    ++at;
  ASSERT_LT(at, functions.size());
  functions[0].name = "m.outer";
  const python::Chosen& same = functions[at];
  python::Enter(one);
  python::Enter(same);
  python::Enter(one);
  python::Leave(one);
  python::Leave(same);
  python::Leave(one);
  EXPECT_EQ(Names(), std::vector<std::string>({"m.inner", "m.outer", "m.other", "m.outer"}));
}

// The thread's open ranges move with its ring, which grows while the words are written.
TEST_F(PythonRanges, ARangeHasItsDetailsHoweverTheRingGrows) {
  constexpr uint64_t kCalls = 2000;
  uint64_t words[64] = {};
  for (uint64_t i = 0; i < kCalls; ++i) {
    words[0] = i + 1;
    EXPECT_TRUE(python::EnterWith(kOuter, words, 1));
    words[1] = 7;
    python::EnterWith(kInner, words, 0);
    python::Leave(kInner);
    python::LeaveWith(kOuter, words, 64);
    words[1] = 0;
  }
  uint64_t with_details = 0;
  for (const TraceEvent& event : ReadTrace().Of(RecordKind::kRange)) {
    const bool has = event.attributes.payload_type == static_cast<uint32_t>(PayloadType::kDetails);
    EXPECT_EQ(has, event.name == "m.outer");
    with_details += has && event.attributes.arguments != 0;
  }
  EXPECT_EQ(with_details, kCalls);
  EXPECT_EQ(AllLosses(), 0u);
  ResetSession();  // the words themselves are no records that this reader takes
}

TEST_F(PythonRanges, DetailsOfARangeThatIsNotTheInnermostAreNotGivenToAnother) {
  const uint64_t words[] = {1};
  python::Enter(kOuter);
  python::Enter(kInner);
  python::LeaveWith(kOuter, words, 1);
  for (const TraceEvent& event : ReadTrace().Of(RecordKind::kRange))
    EXPECT_EQ(event.attributes.payload_type, 0u) << event.name;
}

TEST_F(PythonRanges, AForksChildHasNoRangesOfItsParent) {
  python::Enter(kOuter);
  const pid_t child = fork();
  if (child == 0) {
    python::Enter(kInner);
    python::Leave(kInner);
    python::Leave(kOuter);
    _exit(Names() == std::vector<std::string>({"m.inner"}) && AllLosses() == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  python::Leave(kOuter);
  EXPECT_EQ(Names(), std::vector<std::string>({"m.outer"}));
}

}  // namespace
}  // namespace syncline::test
