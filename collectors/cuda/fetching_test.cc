// SPDX-License-Identifier: Apache-2.0
// The helper rests while CUPTI has nothing of ours, and comes often while it has.
#include "collectors/cuda/fetching.h"

#include <gtest/gtest.h>

#include "inject/core/helper_thread.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kOftenNs = 100'000'000;

// As the helper does: what the visit answers that comes after so many ns.
uint64_t VisitAfter(uint64_t ns) {
  SysSleepNs(ns);
  return FetchFinished();
}

// Visits until the helper rests; how many there were. 0: it does not.
int VisitsUntilRest(uint64_t next) {
  for (int visits = 1; visits < 5; ++visits) {
    EXPECT_LE(next, kOftenNs);
    next = VisitAfter(next);
    if (next == kAtTheBell) return visits;
  }
  return 0;
}

TEST(Fetching, RestsWhereNothingIsOut) {
  EXPECT_EQ(VisitsUntilRest(FetchFinished()), 1);
  BufferGoesOut();  // rings
  uint64_t next = FetchFinished();
  EXPECT_GT(next, 0u) << "nothing in it is finished yet";
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(next, kOftenNs);
    EXPECT_NE(FetchFinished(), kAtTheBell);  // another bell
    next = VisitAfter(next);
  }
  BufferIsBack();
  EXPECT_EQ(VisitsUntilRest(next), 1);
}

}  // namespace
}  // namespace syncline::cuda
