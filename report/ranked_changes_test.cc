// SPDX-License-Identifier: Apache-2.0
// What is said to change first, of prices and of what has none.
#include "report/ranked_changes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "report/late_stage.h"
#include "report/told_findings.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kOneMs = 1'000'000;

// Each works for a second.
RunFindings Working(int ranks) {
  RunFindings findings;
  for (int rank = 0; rank < ranks; ++rank) {
    RankPart& part = findings.ranks["rank-" + std::to_string(rank)];
    part.rank = rank;
    part.complete = true;
    part.end_ns = 5000 * kOneMs;
    part.replay.whole_ns = 1000 * kOneMs;
  }
  return findings;
}

PriceKey Changed(Change change, const std::string& where = "") {
  PriceKey key;
  key.source = "cuda";
  key.change = change;
  key.where = where;
  return key;
}

PriceSums& AddPrice(RunFindings* findings, const PriceKey& key, uint64_t gain_ms,
                    uint64_t count = 10, const char* rank = "rank-0") {
  PriceSums& sums = findings->prices[key];
  sums.count = count;
  sums.removed_ns = sums.known_ns = gain_ms * kOneMs;
  sums.gain = {gain_ms * kOneMs, gain_ms * kOneMs};
  sums.of_ranks = {{rank, sums.gain}};
  return sums;
}

void Reads(uint64_t waits, PriceSums* sums) {
  sums->read_backs = waits;
  sums->read_ns = sums->removed_ns * waits / 10;
}

// Of ten calls.
void AddWaits(RunFindings* findings, WaitClass wait_class, const char* where, uint64_t ms,
              const char* ranges = "step # > log") {
  for (int i = 0; i < 10; ++i)
    findings->waits[{"cuda", wait_class, "call", ranges, where}].blocked.Add(ms * kOneMs / 10);
}

std::vector<std::string> Kinds(const std::vector<ReportFinding>& answers) {
  std::vector<std::string> kinds;
  for (const ReportFinding& answer : answers) kinds.push_back(answer.kind);
  return kinds;
}

using Names = std::vector<std::string>;

TEST(AnswersTest, AWaitIsWhatItsPriceSays) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kStream, "a.py:1 f()", 300);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1 f()"), 200);
  LongWait longest;
  longest.rank = "rank-0";
  longest.begin_ns = 77;
  longest.what.where = "a.py:1 f()";
  findings.longest_waits.push_back(longest);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"stream_wait"});
  EXPECT_TRUE(answers[0].priced);
  EXPECT_EQ(answers[0].line, "a.py:1 f()");
  EXPECT_EQ(answers[0].where, "a.py:1 f()");
  EXPECT_EQ(answers[0].stage, "log");
  EXPECT_EQ(answers[0].call, "call");
  EXPECT_EQ(answers[0].wait_class, "stream");
  EXPECT_EQ(answers[0].count, 10u);
  EXPECT_EQ(answers[0].blocked_ns, 300 * kOneMs);
  EXPECT_EQ(answers[0].gain_ns, 200 * kOneMs);
  EXPECT_DOUBLE_EQ(answers[0].gain_percent, 20);
  EXPECT_EQ(answers[0].rank + answers[0].trace, "rank-0") << "there is only one";
  EXPECT_EQ(answers[0].begin_ns, 77u);
}

TEST(AnswersTest, WaitsThatReadBackAreNamedSo) {
  for (const auto& [read_backs, kind] : {std::pair<uint64_t, const char*>{0, "stream_wait"},
                                         {2, "stream_wait"},
                                         {3, "read_back"},
                                         {10, "read_back"}}) {
    RunFindings findings = Working(1);
    AddWaits(&findings, WaitClass::kStream, "a.py:1", 300);
    PriceSums& price = AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 200);
    Reads(read_backs, &price);
    EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{kind}) << read_backs;
    if (read_backs == 0) continue;
    price.known_ns = price.read_ns;  // of a long run
    EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"read_back"});
  }
}

TEST(AnswersTest, CopiesAreTheirSize) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kStream, "a.py:1", 300);
  PriceSums& price = AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 200);
  Reads(10, &price);
  price.read_bytes = 10 * 16384;
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"copy_back"});
  EXPECT_EQ(answers[0].problem, "the host waits for a copy of 16.0 KiB from the GPU");
  EXPECT_NE(answers[0].advice.find("pinned"), std::string::npos) << answers[0].advice;
  price.pinned_reads = 9;
  EXPECT_EQ(FindAnswers(findings, {})[0].advice.find("pinned"), std::string::npos) << "it is";
  Reads(0, &price);
  price.sends = price.count;
  price.send_ns = price.removed_ns * 6 / 10;
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"pageable_copy"});
  price.pinned_sends = price.sends;
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"sync_copy"});
  Reads(4, &price);
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"sync_copy"}) << "most of the time";
}

TEST(AnswersTest, ACallerThatPaysIsThePlace) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kStream, "a.py:1 read()", 300);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1 read()"), 210);
  PriceKey key = Changed(Change::kWaitsOfCaller, "a.py:1 read()");
  for (const auto& [caller, removed, gain] :
       {std::tuple{"a.py:20 f()", 280, 200}, {"a.py:30 g()", 20, 10}}) {
    key.caller = caller;
    AddPrice(&findings, key, gain).removed_ns = removed * kOneMs;
  }
  std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"stream_wait"});
  EXPECT_EQ(answers[0].where, "a.py:20 f(), in a.py:1 read()");
  EXPECT_EQ(answers[0].gain_ns, 200 * kOneMs);
  EXPECT_EQ(answers[0].blocked_ns, 280 * kOneMs);
  for (int line = 40; line < 60; ++line) {  // called from everywhere
    key.caller = "a.py:" + std::to_string(line) + " h()";
    AddPrice(&findings, key, 1).removed_ns = 100 * kOneMs;
  }
  answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"stream_wait"});
  EXPECT_EQ(answers[0].where, "a.py:1 read()");
  EXPECT_EQ(answers[0].lines, "from 22 lines");
}

TEST(AnswersTest, ACallerBesideThoseThatCostNothingIsThePlace) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kStream, "a.py:1 log()", 200);
  PriceKey key = Changed(Change::kWaitsOfCaller, "a.py:1 log()");
  key.caller = "a.py:5 train()";
  AddPrice(&findings, key, 100, 9);
  EXPECT_EQ(FindAnswers(findings, {})[0].where, "a.py:5 train(), in a.py:1 log()");
  AddPrice(&findings, key, 100, 10);  // of all ten
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1 log()"), 100);
  EXPECT_EQ(FindAnswers(findings, {})[0].where, "a.py:1 log()");
}

TEST(AnswersTest, OneHabitAtManyLinesIsOnePlace) {
  RunFindings findings = Working(1);
  for (const char* line : {"a.cu:12 main()", "a.cu:9 main()", "a.cu:30 main()"}) {
    AddWaits(&findings, WaitClass::kDevice, line, 100);
    AddPrice(&findings, Changed(Change::kWaitsOfLine, line), 50);
  }
  PriceKey key = Changed(Change::kWaitsOfFunction, "a.cu main()");
  key.wait_class = WaitClass::kDevice;
  AddPrice(&findings, key, 170);
  std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"device_wait"});
  EXPECT_EQ(answers[0].where, "a.cu:9,12,30 main()");
  EXPECT_EQ(answers[0].lines, "at 3 lines");
  EXPECT_EQ(answers[0].gain_ns, 170 * kOneMs);
  EXPECT_EQ(answers[0].count, 30u);
  AddWaits(&findings, WaitClass::kDevice, "a.cu:9 main()", 900);  // one is most of it
  EXPECT_EQ(FindAnswers(findings, {}).size(), 3u);
}

// Of two that follow each other each alone brings nothing: the other one waits then.
TEST(AnswersTest, LinesThatWaitForTheSameAreOnePlace) {
  RunFindings findings = Working(1);
  for (const char* line : {"a.py:49 train()", "a.py:52 train()"}) {
    AddWaits(&findings, WaitClass::kDevice, line, 100);
    AddPrice(&findings, Changed(Change::kWaitsOfLine, line), 2);
  }
  PriceKey key = Changed(Change::kWaitsOfFunction, "a.py train()");
  key.wait_class = WaitClass::kDevice;
  AddPrice(&findings, key, 170);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), Names{"device_wait"});
  EXPECT_EQ(answers[0].where, "a.py:49,52 train()");
  EXPECT_EQ(answers[0].lines, "at 2 lines");
  EXPECT_EQ(answers[0].gain_ns, 170 * kOneMs);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:49 train()"), 120);
  EXPECT_EQ(FindAnswers(findings, {}).size(), 2u) << "that one alone brings most of it";
}

TEST(AnswersTest, WithoutALineByCallAndRanges) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kEvent, "", 300);
  AddWaits(&findings, WaitClass::kEvent, "", 100, "save");
  PriceKey key = Changed(Change::kWaitsOfCall);
  key.wait_class = WaitClass::kEvent;
  key.call = "call";
  key.ranges = "step # > log";
  AddPrice(&findings, key, 50);
  key.ranges = "save";
  AddPrice(&findings, key, 80);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), (Names{"event_wait", "event_wait"}));
  EXPECT_EQ(answers[0].where, "save") << "by gain, not by what was waited";
  EXPECT_EQ(answers[1].where, "log");
  EXPECT_EQ(answers[1].line, "");
}

TEST(AnswersTest, AHundredthIsWorthAWord) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kDevice, "a.py:1", 20);
  AddWaits(&findings, WaitClass::kDevice, "a.py:2", 20);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 10);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:2"), 9);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].where, "a.py:1");
  EXPECT_EQ(FindAnswers(findings, {}, true).size(), 2u);
}

TEST(AnswersTest, WhatIsSmallHasToBringATwentiethOrAPartOfTheFirst) {
  RunFindings findings = Working(1);
  AddPrice(&findings, Changed(Change::kDefaultStream), 12);
  AddPrice(&findings, Changed(Change::kLaunches), 49);
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"default_stream"});
  AddPrice(&findings, Changed(Change::kLaunches), 50);
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), (Names{"launch_bound", "default_stream"}));
  AddPrice(&findings, Changed(Change::kHostWork, "a.py:9 f()"), 500);
  EXPECT_EQ(FindAnswers(findings, {}).size(), 3u);
  AddPrice(&findings, Changed(Change::kHostWork, "a.py:9 f()"), 601);
  EXPECT_EQ(Kinds(FindAnswers(findings, {})), Names{"host_work"}) << "a tenth, a fiftieth";
  EXPECT_FALSE(IsWorthChanging(FindAnswers(findings, {}, true).at(1)))
      << "it is there, and no step";
}

TEST(AnswersTest, LongWaitsThatBringNothingAreNamedLast) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kEvent, "long.py:1", 100);
  AddWaits(&findings, WaitClass::kEvent, "short.py:1", 99);
  AddWaits(&findings, WaitClass::kStream, "a.py:1", 20);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "long.py:1"), 0);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "short.py:1"), 0);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 15);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), (Names{"stream_wait", "event_wait"}));
  EXPECT_TRUE(IsWorthChanging(answers[0]));
  EXPECT_EQ(answers[1].where, "long.py:1");
  EXPECT_FALSE(IsWorthChanging(answers[1]));
  EXPECT_TRUE(answers[0].worth);
  EXPECT_FALSE(answers[1].worth);
}

TEST(AnswersTest, WhatHasNoPriceIsHeldByItsCost) {
  RunFindings findings = Working(2);
  AddWaits(&findings, WaitClass::kStream, "a.py:1", 30);
  AddWaits(&findings, WaitClass::kStream, "a.py:2", 20);
  AddWaits(&findings, WaitClass::kStream, "a.py:3", 19);
  AddWaits(&findings, WaitClass::kStream, "a.py:4", 60);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:4"), 50);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(answers.size(), 3u) << "a hundredth of the time of both ranks is 20 ms";
  EXPECT_EQ(answers[0].where, "a.py:4");
  EXPECT_EQ(answers[0].gain_ns, 50 * kOneMs) << "ranks that do not meet gain their own";
  EXPECT_EQ(answers[1].where, "a.py:1") << "15 ms of each";
  EXPECT_FALSE(answers[1].priced);
  EXPECT_EQ(answers[2].where, "a.py:2");
}

TEST(AnswersTest, WhoHasMostOfIt) {
  RunFindings findings = Working(4);
  AddWaits(&findings, WaitClass::kStream, "a.py:1", 400);
  PriceSums& sums = AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 200);
  sums.of_ranks = {{"rank-0", {40 * kOneMs}},
                   {"rank-1", {40 * kOneMs}},
                   {"rank-2", {80 * kOneMs}},
                   {"rank-3", {40 * kOneMs}}};
  std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].gain_ns, 80 * kOneMs);
  EXPECT_EQ(answers[0].rank, "4 ranks");
  sums.of_ranks["rank-2"].gain_ns = 121 * kOneMs;
  sums.gain.gain_ns = 241 * kOneMs;
  answers = FindAnswers(findings, {});
  EXPECT_EQ(answers.at(0).rank, "rank 2") << "it has most of it";
  const std::vector<std::string> details = DetailsOf(answers[0]);
  EXPECT_EQ(details.at(0).substr(details[0].find(' ')), " times on 4 ranks")
      << "the count is of all";
  EXPECT_EQ(details.at(1), "mostly rank 2");
}

// Ten pieces of 80 ms: the device has 200 ms of the second, which one thread ahead can use.
TEST(AnswersTest, WhatOneThreadAheadBringsStandsBesideAllOfIt) {
  RunFindings findings = Working(1);
  PriceSums& sums = AddPrice(&findings, Changed(Change::kHostWork, "a.py:9 f()"), 800);
  EXPECT_EQ(FindAnswers(findings, {}).at(0).assumption, "if one other thread does it meanwhile");
  sums.of_ranks["rank-0"].ahead_ns = sums.gain.ahead_ns = 200 * kOneMs;
  const ReportFinding finding = FindAnswers(findings, {}).at(0);
  EXPECT_EQ(finding.gain_ns, 800 * kOneMs);
  EXPECT_EQ(finding.ahead_ns, 200 * kOneMs);
  EXPECT_EQ(finding.workers, 4u);
  EXPECT_EQ(finding.assumption, "if that took no time");
  EXPECT_EQ(finding.advice,
            "do it less often, or in another thread (one brings 200 ms, 4 bring all of it)");
}

TEST(AnswersTest, NobodyGainsMoreThanTheTime) {
  RunFindings findings = Working(1);
  AddPrice(&findings, Changed(Change::kDefaultStream), 3000);
  EXPECT_DOUBLE_EQ(FindAnswers(findings, {}).at(0).gain_percent, 100);
}

TEST(AnswersTest, HostWorkBetweenLines) {
  RunFindings findings = Working(1);
  PriceKey key = Changed(Change::kHostWork, "a.py:9 f()");
  key.ranges = "step # > load";
  key.before = "a.py:3 f()";
  AddPrice(&findings, key, 300);
  key.before = kOtherLines;
  key.where = "";
  AddPrice(&findings, key, 200);
  key.before = "shorter than a tenth of a ms";
  AddPrice(&findings, key, 100, 1001);
  key.where = "a.py:20 f()";
  key.before.clear();
  key.span = HostSpan::kData;
  AddPrice(&findings, key, 90);
  key.span = HostSpan::kWithin;
  AddPrice(&findings, key, 80, 50);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {}, true);
  ASSERT_EQ(Kinds(answers), (Names{"host_work", "host_work", "data_work", "slow_launch"}));
  findings.prices[key].count = 10;
  EXPECT_EQ(FindAnswers(findings, {}, true)[3].kind, "host_work") << "no launch takes 8 ms";
  EXPECT_EQ(answers[0].line, "a.py:9 f()");
  EXPECT_EQ(answers[0].before, "a.py:3 f()");
  EXPECT_EQ(answers[0].stage, "load");
  EXPECT_EQ(answers[0].blocked_ns, 300 * kOneMs);
  EXPECT_EQ(answers[1].before, "") << "those are not one line";
}

// A device that was seen for a second.
void AddDevice(RunFindings* findings, uint64_t computing_ms) {
  DeviceUse use;
  use.end_ns = 1000 * kOneMs;
  use.busy_ns = use.computing_ns = computing_ms * kOneMs;
  findings->ranks["rank-0"].devices = {use};
}

TEST(AnswersTest, WhereADeviceHardlyWorksTheLineSaysSo) {
  RunFindings findings = Working(1);
  PriceKey key = Changed(Change::kHostWork, "a.py:4 f()");
  key.span = HostSpan::kData;
  AddPrice(&findings, key, 900);
  AddPrice(&findings, Changed(Change::kHostWork, "a.py:7 f()"), 50);
  const auto problem = [&findings] { return FindAnswers(findings, {}).at(0).problem; };
  constexpr char kHardly[] = "the GPU works only 1.0 % of the time, while the host makes its data";
  constexpr char kIdle[] = "the GPU has nothing to do while the host makes its data";
  AddDevice(&findings, 10);
  EXPECT_EQ(problem(), kHardly);
  AddDevice(&findings, 300);
  EXPECT_EQ(problem(), kIdle);
  // What is outside of steps does not count, nor does it where there are some.
  RankPart& part = findings.ranks["rank-0"];
  part.steps.push_back({1, "step", {{0, 400 * kOneMs, 0}, {500 * kOneMs, 500 * kOneMs, 1}}});
  part.steps[0].shares[TimeKind::kComputing] = 9 * kOneMs;
  part.steps[0].shares[TimeKind::kMakingData] = 891 * kOneMs;
  EXPECT_EQ(problem(), kHardly);
  findings.prices[key].count = 4;
  EXPECT_EQ(problem(), kIdle) << "not again and again";
}

TEST(AnswersTest, AWaitForWorkersAtTheEndHasNoGain) {
  RunFindings findings = Working(1);
  PriceKey key = Changed(Change::kHostWork, "a.py:14 main()");
  key.span = HostSpan::kAwaits;
  AddPrice(&findings, key, 900).count = 1;
  AddPrice(&findings, Changed(Change::kHostWork, "a.py:7 f()"), 50);
  EXPECT_EQ(FindAnswers(findings, {}).at(0).where, "a.py:7 f()");
  EXPECT_FALSE(FindAnswers(findings, {}).at(1).worth);
  findings.prices[key].count = 4;
  EXPECT_EQ(FindAnswers(findings, {}).at(0).where, "a.py:14 main()");
}

TEST(AnswersTest, FirstUseIsToldOnceAndLast) {
  RunFindings findings = Working(1);
  findings.gaps[{"cuda", GapCause::kFirstUse, "", "a", {}}].Add(300 * kOneMs);
  findings.gaps[{"cuda", GapCause::kFirstUse, "", "b", {}}].Add(100 * kOneMs);
  AddPrice(&findings, Changed(Change::kHostWork, "a.py:9 f()"), 30);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), (Names{"host_work", "first_use"}));
  EXPECT_EQ(answers[1].blocked_ns, 400 * kOneMs);
  EXPECT_EQ(answers[1].count, 2u);
  EXPECT_FALSE(answers[1].worth);
  EXPECT_FALSE(IsWorthChanging(answers[1]));
  EXPECT_EQ(Kinds(FindAnswers(findings, {}, true)), (Names{"host_work", "first_use"}));
}

TEST(AnswersTest, WhatHappensOnceIsNotInTheLoop) {
  RunFindings findings = Working(1);
  AddPrice(&findings, Changed(Change::kAllocations, "a.py:1"), 250, 3);
  findings.waits[{"cuda", WaitClass::kAllocation, "cudaFree", "", "a.py:2"}].blocked.Add(300 *
                                                                                         kOneMs);
  EXPECT_TRUE(FindAnswers(findings, {}).empty());
}

TEST(AnswersTest, NobodyIsToldThatAnIdleDeviceHasOtherWork) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kStream, "a.py:1 f()", 300);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1 f()"), 5);
  for (const bool all : {false, true}) {
    const ReportFinding left = FindAnswers(findings, {}, all).at(0);
    EXPECT_EQ(left.advice + left.assumption, "leave it: the GPU has other work meanwhile") << all;
    EXPECT_TRUE(left.gain_ns == 0 && !left.worth);
  }
  findings.waits.begin()->second.idle_after_ns = 200 * kOneMs;
  EXPECT_TRUE(FindAnswers(findings, {}).empty());
}

TEST(AnswersTest, AnAllocationAndItsWaitsAreOne) {
  RunFindings findings = Working(1);
  AddWaits(&findings, WaitClass::kAllocation, "a.py:1", 300);
  AddPrice(&findings, Changed(Change::kWaitsOfLine, "a.py:1"), 200);
  AddPrice(&findings, Changed(Change::kAllocations, "a.py:1"), 250);
  AddPrice(&findings, Changed(Change::kAllocations, "a.py:2"), 40);
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(Kinds(answers), (Names{"allocation", "allocation"}));
  EXPECT_EQ(answers[0].where, "a.py:1");
  EXPECT_EQ(answers[0].gain_ns, 250 * kOneMs) << "the calls as well as their waits";
  EXPECT_EQ(answers[0].wait_class, "allocation");
  EXPECT_EQ(answers[1].where, "a.py:2") << "it waited for nothing";
}

TEST(AnswersTest, TheLateRank) {
  RunFindings findings = Working(2);
  RankMeetings meetings;
  meetings.ranks[0].waited_for_ns[1] = 300 * kOneMs;
  meetings.ranks[1].waited_for_ns[0] = 10 * kOneMs;
  meetings.ranks[1].came_last = 14;
  meetings.ranks[0].met = meetings.ranks[1].met = 18;
  std::vector<ReportFinding> answers = FindAnswers(findings, meetings);
  ASSERT_EQ(Kinds(answers), Names{"late_rank"});
  EXPECT_EQ(answers[0].rank, "rank 1");
  EXPECT_EQ(answers[0].count, 14u);
  EXPECT_EQ(answers[0].blocked_ns, 300 * kOneMs);
  EXPECT_EQ(answers[0].gain_ns, 290 * kOneMs) << "then the other one has as much to do";

  PriceKey work = Changed(Change::kHostWork, "a.py:9 f()");
  work.before = "a.py:4 f()";
  AddPrice(&findings, work, 250, 10, "rank-1");
  answers = FindAnswers(findings, meetings);
  ASSERT_EQ(Kinds(answers), Names{"late_rank"}) << "one cause is one finding";
  EXPECT_EQ(answers[0].line, "a.py:9 f()");
  EXPECT_EQ(answers[0].before, "a.py:4 f()");
  EXPECT_EQ(answers[0].gain_ns, 290 * kOneMs);
  AddPrice(&findings, work, 900, 10, "rank-1");
  answers = FindAnswers(findings, meetings);
  EXPECT_EQ(answers.at(0).gain_ns, 290 * kOneMs) << "then it would come before the other one";
  EXPECT_EQ(answers[0].more_ns, 290 * kOneMs);
  AddPrice(&findings, work, 250);
  EXPECT_EQ(Kinds(FindAnswers(findings, meetings)), Names{"late_rank"})
      << "what the other rank gains brings nobody anything";
}

TEST(AnswersTest, EachRankComesLastNowAndThen) {
  const RunFindings findings = Working(4);
  RankMeetings meetings;
  for (int rank = 0; rank < 4; ++rank) meetings.ranks[rank].met = 176;
  meetings.ranks[0].waited_for_ns = {{1, 200 * kOneMs}, {2, 190 * kOneMs}, {3, 180 * kOneMs}};
  meetings.ranks[1].waited_for_ns = {{0, 300 * kOneMs}};
  EXPECT_TRUE(FindAnswers(findings, meetings).empty()) << "a half more than another";
  meetings.ranks[1].waited_for_ns = {{0, 400 * kOneMs}};
  meetings.ranks[0].late_by_ns = 400 * kOneMs;
  EXPECT_EQ(Kinds(FindAnswers(findings, meetings)), Names{"late_rank"});
}

// The step is as much longer as the stage in it; what a rank waits for others there is shorter.
TEST(AnswersTest, TheStageInWhichARankIsLonger) {
  RunFindings findings = Working(3);
  for (auto& [name, part] : findings.ranks) {
    const uint64_t late = name == "rank-1" ? 300 * kOneMs : 0;
    part.stages = {{{"nvtx", "", "step"}, 10, 500 * kOneMs + late, 0},
                   {{"nvtx", "", "reduce"}, 10, 400 * kOneMs - late, 0},
                   {{"nvtx", "", "load"}, 10, 20 * kOneMs + late, 0}};
  }
  EXPECT_EQ(LateStageOf(findings, "rank-1").name, "load");
  EXPECT_EQ(LateStageOf(findings, "rank-1").excess_ns, 300 * kOneMs);
  EXPECT_EQ(LateStageOf(findings, "rank-0").name, "") << "as long as one of the others";
  EXPECT_EQ(LateStageOf(findings, "rank-7").name, "");
  EXPECT_EQ(LateStageOf(findings, "rank-1", 9000 * kOneMs).name, "") << "they waited for more";
}

// `rank` computes `percent` of a second on the device `uuid`.
void Compute(RunFindings* findings, int rank, const char* uuid, uint64_t percent) {
  DeviceUse use;
  use.source = "cuda";
  use.name = "H100";
  use.uuid = uuid;
  use.operations = 1;
  use.end_ns = 1000 * kOneMs;
  use.busy_ns = use.computing_ns = percent * 10 * kOneMs;
  findings->ranks["rank-" + std::to_string(rank)].devices = {use};
}

TEST(AnswersTest, RanksOnOneDeviceComeFirstWhereAnotherIsIdle) {
  RunFindings findings = Working(3);
  for (int rank = 0; rank < 3; ++rank) Compute(&findings, rank, "one", 90);
  findings.ranks["rank-1"].idle_devices = {"two", "three"};
  const auto shared = [&] {
    const auto found = FindAnswers(findings, {});
    return !found.empty() && found[0].kind == "shared_device" ? found[0] : ReportFinding();
  };
  EXPECT_EQ(shared().problem, "3 ranks compute on one GPU, while 2 others have nothing to do");
  EXPECT_EQ(shared().rank, "ranks 0, 1 and 2");
  EXPECT_EQ(shared().where, "device 0: H100");
  EXPECT_TRUE(shared().worth);
  Compute(&findings, 2, "two", 90);
  EXPECT_EQ(shared().problem, "2 ranks compute on one GPU, while 1 other has nothing to do");
  EXPECT_EQ(shared().rank, "ranks 0 and 1");
  // Not at the same time; not with a tenth of its work.
  DeviceUse& first = findings.ranks["rank-0"].devices[0];
  first.end_ns = 400 * kOneMs;
  findings.ranks["rank-1"].devices[0].begin_ns = 401 * kOneMs;
  EXPECT_EQ(shared().kind, "");
  findings.ranks["rank-1"].devices[0].begin_ns = 0;
  EXPECT_EQ(shared().kind, "shared_device");
  DeviceUse most = first;
  most.uuid = "most";
  most.busy_ns = 20 * first.busy_ns;
  findings.ranks["rank-0"].devices.push_back(most);
  EXPECT_EQ(shared().kind, "");
  Compute(&findings, 0, "one", 90);
  // The same uuid on another machine is another device; without another one nobody has a choice.
  findings.ranks["rank-1"].host = "other";
  EXPECT_EQ(shared().kind, "");
  findings.ranks["rank-1"].host = findings.ranks["rank-0"].host;
  findings.ranks["rank-1"].idle_devices.clear();
  EXPECT_EQ(shared().kind, "");
  Compute(&findings, 0, "", 90);
  findings.ranks["rank-1"].idle_devices = {"three"};
  EXPECT_EQ(shared().kind, "") << "not known";
}

TEST(AnswersTest, WhatSharesADeviceHasAPartOfIt) {
  RunFindings findings = Working(2);
  for (int rank = 0; rank < 2; ++rank) Compute(&findings, rank, "one", 15);
  PriceSums& sums = AddPrice(&findings, Changed(Change::kHostWork, "a.cu:2 f()"), 500);
  sums.removed_ns = 4000 * kOneMs;
  const auto hardly = [&] {
    const std::string problem = FindAnswers(findings, {}).at(0).problem;
    return problem.find("works only") != std::string::npos;
  };
  EXPECT_FALSE(hardly()) << "30 % of it";
  Compute(&findings, 1, "two", 15);
  EXPECT_TRUE(hardly());
}

TEST(AnswersTest, TheTimeOfStepsCounts) {
  RunFindings findings = Working(1);
  RankPart& part = findings.ranks["rank-0"];
  part.steps = {{1, "step #", {{3000, 10, 0}, {4000, 20, 1}}}};
  EXPECT_EQ(WorkingTimeNs(findings), 1020u);
  DeviceUse use;
  use.end_ns = 9000;
  part.devices.push_back(use);
  EXPECT_EQ(WorkingTimeNs(findings), 6000u) << "what the last one submitted";
  part.steps[0].steps.pop_back();
  EXPECT_EQ(WorkingTimeNs(findings), part.replay.whole_ns) << "one is no series";
}

TEST(AnswersTest, TheTimeThatGainsAreHeldAgainst) {
  RunFindings findings = Working(2);
  findings.ranks["rank-1"].replay.whole_ns = 2000 * kOneMs;
  EXPECT_EQ(WorkingTimeNs(findings), 2000 * kOneMs) << "the longest";
  for (auto& [name, part] : findings.ranks) part.replay.whole_ns = 0;
  EXPECT_EQ(WorkingTimeNs(findings), 5000 * kOneMs) << "no device worked";
  EXPECT_EQ(WorkingTimeNs({}), 0u);
}

}  // namespace
}  // namespace syncline
