// SPDX-License-Identifier: Apache-2.0
// The helper rests while CUPTI has nothing of ours, and comes often while it has.
#include "collectors/cuda/fetching.h"

#include <gtest/gtest.h>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/helper_thread.h"
#include "tests/fake_session/fake_session.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kOftenNs = 100'000'000;
constexpr uint64_t kSeldomNs = 1'000'000'000;
constexpr uint64_t kLongNs = 20'000'000'000;

uint64_t g_now = kLongNs;

// As the helper does: what the visit answers that comes after so many ns.
uint64_t VisitAfter(uint64_t ns) {
  g_now += ns;
  return FetchFinished(g_now);
}

// Visits until the helper rests; how many there were. 0: it does not.
int VisitsUntilRest(uint64_t next) {
  for (int visits = 1; visits < 5; ++visits) {
    EXPECT_LE(next, kSeldomNs);
    next = VisitAfter(next);
    if (next == kAtTheBell) return visits;
  }
  return 0;
}

// Visits that bring nothing, until the helper comes seldom.
void VisitUntilSeldom() {
  uint64_t next = VisitAfter(0);
  const uint64_t since = g_now;
  while (next <= kOftenNs) {
    ASSERT_LT(g_now, since + kLongNs);
    next = VisitAfter(next);
  }
  EXPECT_EQ(next, kSeldomNs);
  EXPECT_EQ(VisitAfter(next), kSeldomNs) << "still";
}

void Launch(uint32_t result) {
  static constexpr CallName kName("launch", 6, static_cast<uint8_t>(CallRole::kLaunch), 1, false);
  const WatchedCall call = {&kName, 1};
  g_calls.End(call, g_calls.Begin(call), result);
}

TEST(Fetching, RestsWhereNothingIsOut) {
  EXPECT_EQ(VisitsUntilRest(VisitAfter(0)), 1);
  BufferGoesOut();  // rings
  uint64_t next = VisitAfter(0);
  EXPECT_GT(next, 0u) << "nothing in it is finished yet";
  for (int i = 0; i < 3; ++i) {
    EXPECT_LE(next, kOftenNs);
    EXPECT_NE(VisitAfter(0), kAtTheBell);  // another bell
    next = VisitAfter(next);
  }
  BufferIsBack();
  EXPECT_EQ(VisitsUntilRest(next), 1);
}

TEST(Fetching, ACallEndsThatItComesSeldom) {
  test::ResetSession();
  BufferGoesOut();
  VisitUntilSeldom();
  Launch(1);
  EXPECT_GT(VisitAfter(0), kOftenNs) << "it failed";
  Launch(0);
  EXPECT_LE(VisitAfter(0), kOftenNs);
  EXPECT_LE(VisitAfter(kOftenNs), kOftenNs) << "for a while";
  VisitUntilSeldom();
  BufferIsBack();
  EXPECT_EQ(VisitsUntilRest(VisitAfter(0)), 1);
}

TEST(Fetching, AfterARestItComesOftenAtOnce) {
  BufferGoesOut();
  VisitUntilSeldom();
  BufferIsBack();
  EXPECT_EQ(VisitsUntilRest(VisitAfter(0)), 1);
  BufferGoesOut();
  EXPECT_LE(VisitAfter(kLongNs), kOftenNs);
  BufferIsBack();
  EXPECT_EQ(VisitsUntilRest(VisitAfter(0)), 1);
}

}  // namespace
}  // namespace syncline::cuda
