// SPDX-License-Identifier: Apache-2.0
// Forward lies between the parts that are known, also where backward goes backward itself.
#include "analysis/sums/forward_times.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace syncline {
namespace {

using Spans = std::vector<std::pair<uint64_t, uint64_t>>;

class Training {
 public:
  Training& Part(bool is_backward, uint64_t begin, uint64_t end) {
    times_.Ends(1, is_backward, begin, end, &spans_);
    return *this;
  }
  Training& Backward(uint64_t begin, uint64_t end) { return Part(true, begin, end); }
  Training& Other(uint64_t begin, uint64_t end) { return Part(false, begin, end); }
  Spans Found() {
    times_.TakeAll(&spans_);
    Spans found;
    for (const ForwardTimes::Span& span : spans_) found.emplace_back(span.begin_ns, span.end_ns);
    return found;
  }

 private:
  ForwardTimes times_;
  std::vector<ForwardTimes::Span> spans_;
};

TEST(ForwardTimes, LiesBetweenTheOtherParts) {
  EXPECT_EQ(Training().Other(1, 2).Backward(5, 8).Other(9, 10).Backward(20, 30).Found(),
            (Spans{{2, 5}, {10, 20}}));
  EXPECT_EQ(Training().Backward(5, 8).Backward(10, 12).Found(), (Spans{{8, 10}}))
      << "nobody knows when the first one began";
}

TEST(ForwardTimes, DoesNotBeginBehindAnOptimizer) {
  EXPECT_EQ(Training().Other(1, 2).Backward(5, 8).Other(9, 0).Backward(20, 30).Found(),
            (Spans{{2, 5}}));
}

TEST(ForwardTimes, EndsWithTheOutermostBackward) {
  EXPECT_EQ(Training().Other(1, 2).Backward(6, 7).Backward(8, 9).Backward(5, 10).Found(),
            (Spans{{2, 5}}));
}

TEST(ForwardTimes, IsToldOfEachOfManyCallsWithoutAnOptimizer) {
  Training training;
  Spans all;
  for (uint64_t i = 1; i < 1000; ++i) {
    training.Backward(10 * i, 10 * i + 3);
    if (i > 1) all.emplace_back(10 * i - 7, 10 * i);
  }
  EXPECT_EQ(training.Found(), all);
}

TEST(ForwardTimes, MayLieWithinAnOptimizersStep) {
  EXPECT_EQ(Training().Other(1, 2).Backward(6, 7).Other(3, 9).Backward(20, 21).Found(),
            (Spans{{2, 6}, {9, 20}}));
}

}  // namespace
}  // namespace syncline
