// SPDX-License-Identifier: Apache-2.0
// Kinds by what a gap's lines say.
#include "report/host_work_kind.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

PriceKey Work(HostSpan span) {
  PriceKey key;
  key.change = Change::kHostWork;
  key.span = span;
  return key;
}

TEST(HostWorkKind, ShortWaysAreOnTheWayToALaunch) {
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kWithin), 1'900'000), ProblemKind::kSlowLaunch);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kWithin), 2'100'000), ProblemKind::kHostWork);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kBetween), 400'000), ProblemKind::kSlowLaunch);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kBetween), 600'000), ProblemKind::kHostWork);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kTail), 400'000), ProblemKind::kHostWork);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kData), 400'000), ProblemKind::kDataWork);
  EXPECT_EQ(KindOfHostWork(Work(HostSpan::kAwaits), 400'000), ProblemKind::kAwaitsOthers);
}

TEST(HostWorkKind, WhatOnlyLaunchesMayTakeLong) {
  PriceKey key = Work(HostSpan::kWithin);
  key.statement = "loss.backward()";
  EXPECT_EQ(KindOfHostWork(key, 9'000'000), ProblemKind::kSlowLaunch);
  key.statement = "loss = step(x)";
  EXPECT_EQ(KindOfHostWork(key, 9'000'000), ProblemKind::kHostWork);
}

}  // namespace
}  // namespace syncline
