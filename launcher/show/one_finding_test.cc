// SPDX-License-Identifier: Apache-2.0
// Which finding is said after a run.
#include "launcher/show/one_finding.h"

#include <gtest/gtest.h>

#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

RunFindings Ranks(int count, uint64_t length_ns = 10 * kSecond) {
  RunFindings findings;
  for (int rank = 0; rank < count; ++rank) {
    RankPart& part = findings.ranks["rank-" + std::to_string(rank)];
    part.rank = rank;
    part.complete = true;
    part.begin_ns = kSecond;
    part.end_ns = kSecond + length_ns;
  }
  return findings;
}

void AddWaits(RunFindings* findings, int count, uint64_t ns, const char* ranges,
              WaitClass wait_class = WaitClass::kStream) {
  for (int i = 0; i < count; ++i)
    findings->waits[{"cuda", wait_class, "cudaStreamSynchronize", ranges, ""}].blocked.Add(ns);
}

void AddLine(RunFindings* findings, int count, uint64_t ns, const char* call, const char* ranges,
             const char* where) {
  for (int i = 0; i < count; ++i)
    findings->waits[{"cuda", WaitClass::kStream, call, ranges, where}].blocked.Add(ns);
}

TEST(OneFindingTest, LessThanAHundredthIsNone) {
  RunFindings findings = Ranks(1);
  EXPECT_EQ(OneFinding(findings, {}), "");
  AddWaits(&findings, 1, kSecond / 10 - 1, "");
  EXPECT_EQ(OneFinding(findings, {}), "");
  AddWaits(&findings, 1, 1, "");
  EXPECT_EQ(OneFinding(findings, {}),
            "waited 100 ms for the GPU in cudaStreamSynchronize (2 times)");
}

TEST(OneFindingTest, SumsOfManyRanksAreHeldAgainstAllOfThem) {
  RunFindings findings = Ranks(4);
  AddWaits(&findings, 3, kSecond / 10, "log");
  EXPECT_EQ(OneFinding(findings, {}), "");
  AddWaits(&findings, 1, kSecond / 10, "log");
  EXPECT_EQ(OneFinding(findings, {}),
            "4 ranks together waited 400 ms for the GPU in cudaStreamSynchronize within `log` (4 "
            "times)");
}

TEST(OneFindingTest, ARankThatWasKilledGoesFirst) {
  RunFindings findings = Ranks(2);
  AddWaits(&findings, 9, kSecond, "log");
  const std::string waits = OneFinding(findings, {});
  RankPart& part = findings.ranks.at("rank-1");
  ProcessEnding end;
  end.pid = 7;
  end.program = "r";
  end.how = "killed by signal 9 (KILL)";
  end.at_ns = part.end_ns;
  part.endings = {end};
  EXPECT_EQ(OneFinding(findings, {}), "rank-1: r (7) was killed by signal 9 (KILL)");
  part.endings[0].at_ns -= kSecond;
  EXPECT_EQ(OneFinding(findings, {}), waits) << "a helper of the rank, which went on";
  part.endings[0] = end;
  part.endings[0].how = "killed by signal 15 (TERM)";
  EXPECT_EQ(OneFinding(findings, {}), waits) << "somebody stopped the job";
}

TEST(OneFindingTest, ShortMemoryGoesFirst) {
  RunFindings findings = Ranks(2);
  AddWaits(&findings, 9, kSecond, "log");
  const std::string waits = OneFinding(findings, {});
  AllocatorUse use;
  use.device = "cuda:0";
  use.peak.allocated = 100 << 20;
  use.growth = {{"a.py:5 f()", "", 1 << 20, 10, 10, 10}};
  findings.ranks.at("rank-1").allocators = {use};
  EXPECT_EQ(OneFinding(findings, {}),
            "rank-1: memory of cuda:0 grows with each step: a.py:5 f() took 1.0 MiB in 10 steps "
            "that stayed, 102 KiB a step");
  findings.ranks.at("rank-1").allocators[0].out_of_memory.emplace_back().where = "b.py:7 g()";
  findings.ranks.at("rank-1").allocators[0].out_of_memory_count = 1;
  ProcessEnding end;
  end.how = "killed by signal 9 (KILL)";
  end.at_ns = findings.ranks.at("rank-1").end_ns;
  findings.ranks.at("rank-1").endings = {end};
  EXPECT_EQ(OneFinding(findings, {}).find("rank-1: out of memory at b.py:7 g(): "), 0U)
      << "the ending may be its consequence";
  use.peak.allocated = uint64_t{1} << 40;  // beside which that is little
  findings.ranks.at("rank-1").allocators = {use};
  findings.ranks.at("rank-1").endings.clear();
  EXPECT_EQ(OneFinding(findings, {}), waits);
}

TEST(OneFindingTest, TheLinesBetweenWhichTheHostWasBusy) {
  const auto text = [](std::string before, std::string next, std::string below = "") {
    return LinesText(LinesBetween{std::move(before), std::move(next), std::move(below)});
  };
  EXPECT_EQ(text("a.py:3 f()", "a.py:9 f()"), "from line 3 to a.py:9 f()");
  EXPECT_EQ(text("b.py:3 f()", "a.py:9 f()"), "from b.py:3 f() to a.py:9 f()");
  EXPECT_EQ(text("a.py:9 f()", "a.py:9 f()"), "on the way to a.py:9 f()");
  EXPECT_EQ(text("", "a.py:9 f()"), "on the way to a.py:9 f()");
  EXPECT_EQ(text("a.py:3 f()", ""), "after a.py:3 f()");
  EXPECT_EQ(text(kOtherLines, kOtherLines, kOtherLines), "");
  EXPECT_EQ(text("a.py:18 f()", "a.py:13 f()", "a.py:8 g()"),
            "from line 18 to a.py:13 f(), below it line 8 of g()");
  EXPECT_EQ(text("a.py:18 f()", "a.py:13 f()", "a.py:8-9 g()"),
            "from line 18 to a.py:13 f(), below it lines 8-9 of g()");
  EXPECT_EQ(text("a.py:18 f()", "a.py:13 f()", "b.py:8-9 g()"),
            "from line 18 to a.py:13 f(), below it b.py:8-9 g()");
  EXPECT_EQ(LinesText(LinesBetween{"a.py:9 f()", "a.py:9 f()", "", HostSpan::kWithin}),
            "within a.py:9 f()");
  EXPECT_EQ(text("a.py:18 f()", "a.py:13 f()", kOtherLines), "from line 18 to a.py:13 f()");
}

TEST(OneFindingTest, TheRankThatTheOthersWaitedForMost) {
  RankMeetings meetings;
  ReportFinding late;
  late.rank = "rank 1";
  late.blocked_ns = 2840000000;
  EXPECT_EQ(LateRankText(meetings, late), "");
  for (int rank = 0; rank < 2; ++rank) meetings.ranks[rank].met = 18;
  meetings.ranks[1].waited_for_ns[0] = 5000000000;  // for its start
  meetings.ranks[1].came_last = 14;
  EXPECT_EQ(LateRankText(meetings, late),
            "rank 1 came last to 14 of 18 collectives; the others waited 2.84 s for it");
  meetings.clock_error_ns = 35000;
  EXPECT_EQ(LateRankText(meetings, late),
            "rank 1 came last to 14 of 18 collectives; the others waited 2.84 s for it (clocks of "
            "several machines, compared by the collectives to within 35.0 us)");
}

PriceKey Priced(Change change, const char* where = "") {
  PriceKey key;
  key.source = "cuda";
  key.change = change;
  key.where = where;
  return key;
}

void AddGain(RunFindings* findings, const PriceKey& key, uint64_t removed_ns, uint64_t gain_ns) {
  PriceSums& sums = findings->prices[key];
  sums.count = 100;
  sums.removed_ns = removed_ns;
  sums.gain = {gain_ns, gain_ns};
  sums.of_ranks = {{"rank-0", sums.gain}};
}

TEST(OneFindingTest, WhatBringsMostNotWhatTakesLongest) {
  RunFindings findings = Ranks(1);
  AddLine(&findings, 100, kSecond / 20, "cudaStreamSynchronize", "step # > log", "a.py:7 f()");
  AddLine(&findings, 100, kSecond / 50, "cudaStreamSynchronize", "step # > log", "a.py:9 g()");
  AddGain(&findings, Priced(Change::kWaitsOfLine, "a.py:7 f()"), 5 * kSecond, 0);
  AddGain(&findings, Priced(Change::kWaitsOfLine, "a.py:9 g()"), 2 * kSecond, kSecond);
  EXPECT_EQ(
      OneFinding(findings, {}),
      "waited 2.00 s for the GPU at a.py:9 g() (100 times, in cudaStreamSynchronize); that is "
      "worth 1.00 s (10 %) if nothing there needs the results");
  PriceSums& price = findings.prices[Priced(Change::kWaitsOfLine, "a.py:9 g()")];
  price.read_backs = 100;
  price.known_ns = price.read_ns = 2 * kSecond;
  EXPECT_EQ(
      OneFinding(findings, {}),
      "waited 2.00 s for the GPU at a.py:9 g() (100 times, in cudaStreamSynchronize); that is "
      "worth 1.00 s (10 %) if the value is not needed there");
}

TEST(OneFindingTest, WaitsThatBringNothingAreNotWorthASentence) {
  RunFindings findings = Ranks(1);
  AddLine(&findings, 100, kSecond / 20, "cudaStreamSynchronize", "step # > log", "a.py:7 f()");
  AddGain(&findings, Priced(Change::kWaitsOfLine, "a.py:7 f()"), 5 * kSecond, kSecond / 20);
  EXPECT_EQ(OneFinding(findings, {}), "");
}

TEST(OneFindingTest, WhatHostWorkIsWorth) {
  RunFindings findings = Ranks(1);
  PriceKey key = Priced(Change::kHostWork, "a.py:9 f()");
  key.before = "a.py:3 f()";
  key.ranges = "step # > data";
  AddGain(&findings, key, 4 * kSecond, 3 * kSecond);
  EXPECT_EQ(OneFinding(findings, {}),
            "the GPU computed nothing for 4.00 s because the host did something else before it "
            "submitted the next work, from line 3 to a.py:9 f() within `data` (100 times); "
            "that is worth 3.00 s (30 %) if one other thread does it meanwhile");
}

TEST(OneFindingTest, WhatChangesOfAllTheWorkAreWorth) {
  RunFindings findings = Ranks(1);
  AddGain(&findings, Priced(Change::kLaunches), 0, 2 * kSecond);
  EXPECT_EQ(OneFinding(findings, {}),
            "the GPU is done with each kernel before the next is launched; that is worth 2.00 s "
            "(20 %) if what is launched without a wait between is launched at once");
  AddGain(&findings, Priced(Change::kAllocations, "a.py:4 f()"), kSecond, 3 * kSecond);
  EXPECT_EQ(OneFinding(findings, {}),
            "memory is taken from the driver, or given back to it at a.py:4 f(); that is worth "
            "3.00 s (30 %) "
            "if it is taken once and kept");
}

TEST(OneFindingTest, WhatALateRankIsWorth) {
  RunFindings findings = Ranks(2);
  RankMeetings meetings;
  for (int rank = 0; rank < 2; ++rank) meetings.ranks[rank].met = 18;
  meetings.ranks[0].waited_for_ns[1] = 4 * kSecond;
  meetings.ranks[1].came_last = 14;
  EXPECT_EQ(OneFinding(findings, meetings),
            "rank 1 came last to 14 of 18 collectives; the others waited 4.00 s for it; that is "
            "worth 4.00 s (40 %) if that rank comes when the others do");
}

TEST(OneFindingTest, WithoutACompleteRankThereIsNoRun) {
  RunFindings findings = Ranks(1);
  AddWaits(&findings, 1, kSecond, "log");
  findings.ranks["rank-0"].complete = false;
  EXPECT_EQ(RunLengthNs(findings), 0u);
  EXPECT_EQ(OneFinding(findings, {}), "");
}

}  // namespace
}  // namespace syncline
