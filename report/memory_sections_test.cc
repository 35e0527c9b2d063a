// SPDX-License-Identifier: Apache-2.0
// Which of what allocators did is worth a sentence.
#include "report/memory_sections.h"

#include <gtest/gtest.h>

#include "report/opening_texts.h"
#include "report/report_builder.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr uint64_t kMib = 1 << 20;

AllocatorUse SomeUse() {
  AllocatorUse use;
  use.device = "cuda:0";
  use.peak.allocated = 100 * kMib;
  use.held_peak = 120 * kMib;
  use.peak.groups = {{"a.py:3 f()", "aten::linear", BlockClass::kActivations, 60 * kMib, 4},
                     {"a.py:9 g()", "", BlockClass::kWeights, 40 * kMib, 2}};
  return use;
}

std::vector<std::string> TextsOf(const AllocatorUse& use) {
  RunFindings findings;
  findings.ranks["rank-0"].allocators.push_back(use);
  Report report;
  AddAllocators(findings, &report);
  return MemoryTexts(report);
}

TEST(MemorySectionsTest, NothingIsSaidOfWhatIsAsItShouldBe) {
  EXPECT_TRUE(TextsOf(SomeUse()).empty());
}

TEST(MemorySectionsTest, OutOfMemoryNamesTheLineAndWhatStood) {
  AllocatorUse use = SomeUse();
  MemoryMoment moment = use.peak;
  moment.requested = 64 * kMib;
  moment.held = 170 * kMib;
  moment.where = "a.py:7 h()";
  moment.step = "step 3";
  use.out_of_memory = {moment};
  use.out_of_memory_count = 3;
  const std::vector<std::string> texts = TextsOf(use);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0],
            "out of memory at a.py:7 h(), in `step 3`: 64.0 MiB more of cuda:0 were asked for, 100 "
            "MiB were allocated and 170 MiB reserved (70.0 MiB of these free, in pieces); most of "
            "it is of a.py:3 f(), aten::linear: 60.0 MiB, activations (the first of 3 times)");
}

TEST(MemorySectionsTest, WhatMayHaveEndedRanksStandsBeforeTheirEndings) {
  Report report;
  AllocatorUse use = SomeUse();
  use.out_of_memory = {use.peak};
  use.out_of_memory_count = 1;
  for (const char* rank : {"rank-0", "rank-1"}) {
    report.allocators.push_back({rank, use});
    report.endings.push_back({rank, ProcessEnding{}});
  }
  const std::vector<std::string> texts = OpeningTexts(report);
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_TRUE(texts[0].starts_with("out of memory")) << texts[0];
  EXPECT_TRUE(texts[2].starts_with("rank-0: ")) << texts[2];
}

TEST(MemorySectionsTest, GrowthOfAHundredthIsTold) {
  AllocatorUse use = SomeUse();
  use.growth = {{"a.py:5 f()", "", kMib, 10, 10, 10}};
  ASSERT_EQ(TextsOf(use).size(), 1u);
  EXPECT_EQ(TextsOf(use)[0],
            "memory of cuda:0 grows with each step: a.py:5 f() took 1.0 MiB in 10 steps that "
            "stayed, 102 KiB a step");
  use.growth[0].bytes = kMib - 1;
  EXPECT_TRUE(TextsOf(use).empty());
}

TEST(MemorySectionsTest, PiecesOfATenthAreTold) {
  AllocatorUse use = SomeUse();
  use.pieces = {5, 12 * kMib, 12 * kMib, 6 * kMib, 90 * kMib, 5, "a.py:5 f()"};
  ASSERT_EQ(TextsOf(use).size(), 1u);
  EXPECT_EQ(TextsOf(use)[0],
            "memory of cuda:0 lies in pieces: a.py:5 f() needed 6.0 MiB while 12.0 MiB of 90.0 MiB "
            "reserved were free, and none of them held it; 12.0 MiB more were reserved in 5 such "
            "cases");
  use.pieces.times = 4;
  EXPECT_TRUE(TextsOf(use).empty()) << "a first step has some";
  use.pieces.times = 5;
  use.pieces.free = 11 * kMib;
  EXPECT_TRUE(TextsOf(use).empty());
}

TEST(MemorySectionsTest, APlaceOfWhatHadNoMemoryStandsFirst) {
  RunFindings findings;
  AllocatorUse use = SomeUse();
  use.out_of_memory = {use.peak};
  use.out_of_memory[0].groups.resize(1);
  findings.ranks["rank-0"].allocators = {use};
  Report report;
  AddAllocators(findings, &report);
  const Section section = MemoryPlacesSection(report, {});
  ASSERT_EQ(section.rows.size(), 3u);
  EXPECT_EQ(std::get<std::string>(section.rows[0][ColumnNamed(section, "when")]), "out of memory");
  EXPECT_EQ(std::get<std::string>(section.rows[2][ColumnNamed(section, "class")]), "weights");
}

TEST(MemorySectionsTest, WhatWasTakenUnseenHasARow) {
  AllocatorUse use = SomeUse();
  use.peak.unknown = kMib;
  RunFindings findings;
  findings.ranks["rank-0"].allocators = {use};
  Report report;
  AddAllocators(findings, &report);
  const Section section = MemoryPlacesSection(report, {});
  ASSERT_EQ(section.rows.size(), 3u);
  EXPECT_EQ(std::get<uint64_t>(section.rows[2][ColumnNamed(section, "bytes")]), kMib);
  EXPECT_EQ(std::get<uint64_t>(AllocatorsSection(report, {})
                                   .rows[0][ColumnNamed(AllocatorsSection(report, {}), "other")]),
            kMib);
}

}  // namespace
}  // namespace syncline
