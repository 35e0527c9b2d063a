// SPDX-License-Identifier: Apache-2.0
// Spans of work, as many as memory allows.
#include "analysis/sums/work_spans.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

Pairs PairsOf(const std::vector<CoverageGap>& spans) {
  Pairs pairs;
  for (const CoverageGap& span : spans) pairs.emplace_back(span.begin_ns, span.end_ns);
  return pairs;
}

TEST(WorkSpansTest, WhatOverlapsIsOne) {
  WorkSpans spans(100);
  spans.Add(10, 30, WorkKind::kKernels);
  spans.Add(20, 25, WorkKind::kKernels);
  spans.Add(25, 40, WorkKind::kCopying);
  spans.Add(50, 60, WorkKind::kKernels);
  EXPECT_EQ(PairsOf(spans.Of(WorkKind::kKernels)), (Pairs{{10, 30}, {50, 60}}));
  EXPECT_EQ(PairsOf(spans.Working()), (Pairs{{10, 40}, {50, 60}}));
  EXPECT_EQ(spans.error_ns(), 0u);
}

// As FindGaps sees them.
TEST(WorkSpansTest, CopiesBehindTheLastKernelEndGaps) {
  WorkSpans spans(100);
  spans.Add(10, 20, WorkKind::kKernels);
  spans.Add(30, 40, WorkKind::kCopying);
  spans.Add(50, 60, WorkKind::kSets);
  spans.Add(55, 70, WorkKind::kCopying);
  spans.Add(80, 90, WorkKind::kCopying);
  EXPECT_EQ(PairsOf(spans.EndingGaps()), (Pairs{{10, 20}, {50, 70}, {80, 90}}));
}

TEST(WorkSpansTest, OfManyTheShortPausesGo) {
  WorkSpans spans(100);
  uint64_t at = 0, work = 0;
  for (int i = 0; i < 10'000; ++i) {
    spans.Add(at, at + 5'000, WorkKind::kKernels);
    work += 5'000;
    at += 5'000 + (i % 1000 == 999 ? 50'000'000 : 1'500);
  }
  const std::vector<CoverageGap>& kept = spans.Of(WorkKind::kKernels);
  EXPECT_LE(kept.size(), 100u);
  EXPECT_EQ(kept.size(), 10u) << "the long pauses are there";
  EXPECT_GE(spans.error_ns(), 1'500u);
  uint64_t covered = 0;
  for (const CoverageGap& span : kept) covered += span.end_ns - span.begin_ns;
  EXPECT_EQ(covered, work + 9'990 * 1'500);
}

}  // namespace
}  // namespace syncline
