// SPDX-License-Identifier: Apache-2.0
// Tests of the last words of a run.
#include "launcher/show/closing_lines.h"

#include <gtest/gtest.h>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "model/testing/test_directory.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

RankManifest Trace(int rank, uint64_t ranges, size_t processes = 1) {
  RankManifest manifest;
  manifest.rank = rank;
  manifest.trace = "rank-" + std::to_string(rank) + ".trace.json.gz";
  manifest.events = ranges;
  manifest.ranges = ranges;
  manifest.trace_bytes = 1024;
  for (size_t i = 0; i < 2 * processes; ++i) {  // each becomes another program once
    manifest.processes.emplace_back().pid = static_cast<int32_t>(100 + i / 2);
  }
  return manifest;
}

using Lines = std::vector<std::string>;

TEST(ClosingLinesTest, OneTrace) {
  ClosingFacts facts;
  facts.directory = "/d/run-1";
  facts.traces = {Trace(0, 12345)};
  EXPECT_EQ(
      ClosingLines(facts),
      (Lines{"wrote /d/run-1/rank-0.trace.json.gz: 12,345 events of 1 process, 1.0 KiB",
             "look at it: syncline view /d/run-1; what to change: syncline report /d/run-1"}));
}

TEST(ClosingLinesTest, ATraceThatTheViewerDoesNotOpenIsTold) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 1), Trace(3, 1)};
  facts.traces[0].text_bytes = uint64_t{2} << 30;
  EXPECT_EQ(ClosingLines(facts).size(), 2u) << "it is not too large yet";
  facts.traces[1].text_bytes = uint64_t{3} << 30;
  EXPECT_EQ(ClosingLines(facts)[1],
            "rank-3.trace.json.gz is 3.0 GiB of text, and the Perfetto UI opens about 2.0 GiB: "
            "`syncline view /d --rank 3 --last 10s` opens a part; --steps, --duration or "
            "--min-duration write less");
  facts.traces[0].text_bytes = uint64_t{9} << 30;
  EXPECT_TRUE(ClosingLines(facts)[1].starts_with(
      "2 traces are up to 9.0 GiB of text, and the Perfetto UI opens about 2.0 GiB: `syncline view "
      "/d --last 10s`"));
}

TEST(ClosingLinesTest, AProcessWithThePidOfAnEarlierOneCounts) {
  ClosingFacts facts;
  facts.directory = "/d/run-1";
  facts.traces = {Trace(0, 5, 2)};
  facts.traces[0].processes.emplace_back().pid = 100;
  EXPECT_EQ(ClosingLines(facts)[0],
            "wrote /d/run-1/rank-0.trace.json.gz: 5 events of 3 processes, 1.0 KiB");
}

TEST(ClosingLinesTest, AtMostFourLinesWithEverything) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 10, 2), Trace(1, 20)};
  facts.traces[0].losses["ring_full"] = 5;
  facts.traces[1].losses["ring_full"] = 7;
  facts.missing_ranks = {2, 3};
  facts.running = {"server (pid 7)"};
  facts.finding = "rank 1 came last";
  const Lines lines = ClosingLines(facts);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "wrote 2 traces to /d: 30 events of 3 processes, 2.0 KiB");
  EXPECT_TRUE(lines[1].starts_with(
      "lost: 12 because the thread's ring was full (raise --memory-ring or --memory-process); not "
      "written: ranks 2 and 3; `syncline recover /d` writes what is left of them; still running: "
      "server (pid 7)"))
      << lines[1];
  EXPECT_EQ(lines[2], "rank 1 came last");
  EXPECT_EQ(lines[3], "look at it: syncline view /d; what to change: syncline report /d");
}

TEST(ClosingLinesTest, ProcessesWithoutARankAreApart) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 10), Trace(1, 10), Trace(-1, 5)};
  facts.traces[2].trace = "launcher.trace.json.gz";
  for (ManifestProcess& process : facts.traces[2].processes) process.name = "torchrun";
  EXPECT_EQ(ClosingLines(facts)[0],
            "wrote 2 traces to /d: 20 events of 2 processes, 2.0 KiB; torchrun without a rank: "
            "run/launcher.trace.json.gz");
}

TEST(ClosingLinesTest, WhatCouldNotBeRecordedIsToldOnce) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 1, 2), Trace(1, 1)};
  const std::string kernels = "CUDA: kernels will not be recorded: CUPTI_ERROR_UNKNOWN";
  for (RankManifest& trace : facts.traces) {
    trace.processes[0].log = "warn: " + kernels + "\nwarn: something else\ninfo: x\n";
  }
  facts.missing_ranks = {2};
  EXPECT_TRUE(ClosingLines(facts)[1].starts_with(kernels + "; not written: rank 2; "));
  facts.missing_ranks.clear();
  EXPECT_EQ(ClosingLines(facts)[1], kernels);
  facts.traces[0].losses["starting"] = 1;
  facts.traces[1].processes[0].log += "warn: CUDA: memsets will not be recorded: why\n";
  EXPECT_EQ(ClosingLines(facts)[1],
            kernels +
                " (and 1 more: run/rank-*.json, \"log\"); lost: 1 because another thread was still "
                "starting the recording (" +
                RemedyOf("starting") + ")");
}

TEST(ClosingLinesTest, TimesThatCannotBeLaidSideBySideAreTold) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 10), Trace(1, 10), Trace(2, 10)};
  EXPECT_EQ(ClosingLines(facts).size(), 2u);
  facts.traces[1].base_time = {3600000000000, BaseFrom::kRank};
  const Lines lines = ClosingLines(facts);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1],
            "times of rank 1 count from another base than those of rank 0: see "
            "baseTimeNanoseconds in each trace");
}

TEST(ClosingLinesTest, ManyMissingRanksAreCounted) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 1)};
  for (int rank = 1; rank < 100; ++rank) facts.missing_ranks.push_back(rank);
  EXPECT_EQ(
      ClosingLines(facts)[1],
      "not written: ranks 1, 2, 3, 4, 5, 6, 7 and 92 more; `syncline recover /d` writes what is "
      "left of them");
}

// Two came, one is damaged, one never comes; other files and ranks beyond the job do not count.
TEST(ClosingLinesTest, TheOtherRanksAreGathered) {
  TestDirectory directory;
  ASSERT_EQ(MakeDirectories(directory / "run", 0700), 0);
  RecordedRun request;
  request.job.directory = directory.path();
  request.own_rank.world_size = 5;
  for (const int rank : {0, 1, 2, 9})
    ASSERT_TRUE(
        WriteManifest(ManifestPath(directory.path(), Text("rank-", rank)), Trace(rank, 1)).ok());
  for (const char* name :
       {"rank-3.json", "rank-4.json.tmp", "rank-04.json", "rank-.json", "rank-4"})
    ASSERT_EQ(WriteFile(directory / Text("run/", name), "{"), 0);
  ClosingFacts facts;
  facts.traces = {Trace(0, 1)};
  GatherOtherRanks(request, &facts);
  ASSERT_EQ(facts.traces.size(), 3u);
  EXPECT_EQ(facts.traces[1].rank, 1);
  EXPECT_EQ(facts.traces[2].rank, 2);
  EXPECT_EQ(facts.missing_ranks, (std::vector<int>{3, 4}));
  // Launchers that have a place each: rank 4 has none, and so never ran under Syncline.
  ASSERT_EQ(MakeDirectories(directory / "run/joined", 0700), 0);
  for (const int rank : {0, 1, 2, 3})
    ASSERT_EQ(WriteFile(PlaceFile(directory.path(), rank), ""), 0);
  request.own_rank.rank = 0;
  GatherOtherRanks(request, &facts);
  EXPECT_EQ(facts.missing_ranks, std::vector<int>{3});
  EXPECT_EQ(facts.absent_ranks, std::vector<int>{4});
  facts.directory = "/d";
  EXPECT_TRUE(ClosingLines(facts)[1].ends_with(
      "of them; not recorded: rank 4, which no `syncline` has started"))
      << ClosingLines(facts)[1];
}

TEST(ClosingLinesTest, AWorldSizeThatNoJobHasIsNotBelieved) {
  RecordedRun request;
  request.own_rank.world_size = 1000000000;
  ClosingFacts facts;
  facts.traces = {Trace(0, 1)};
  GatherOtherRanks(request, &facts);
  EXPECT_TRUE(facts.missing_ranks.empty());
  EXPECT_EQ(facts.traces.size(), 1u);
}

TEST(ClosingLinesTest, NothingRecorded) {
  ClosingFacts facts;
  facts.directory = "/d";
  const Lines lines = ClosingLines(facts);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("nothing was recorded")) << lines[0];
}

TEST(ClosingLinesTest, RanksThatRecordedNothingSayWhatWasLookedFor) {
  ClosingFacts facts;
  facts.directory = "/d";
  facts.traces = {Trace(0, 0), Trace(1, 0)};
  facts.looked_for = LookedFor{.list = "cuda", .on_line = true, .left_out = 1 << 1};
  const Lines lines = ClosingLines(facts);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[1].starts_with("no event is in them: the launcher saw no process with CUDA"))
      << lines[1];
  EXPECT_NE(lines[1].find("--collect cuda leaves out"), std::string::npos) << lines[1];
  facts.traces[1].processes.emplace_back();
  facts.traces[1].processes[0].name = "r";
  facts.traces[1].processes[0].pid = 7;
  facts.traces[1].processes[0].exit_kind = "signaled";
  facts.traces[1].processes[0].exit_text = "killed by signal 31 (SYS)";
  EXPECT_EQ(ClosingLines(facts)[1],
            "no event is in them: r (7) was killed by signal 31 (SYS) before it had recorded one");
  RunFindings findings;
  findings.compilations[{"torch", CompileKind::kFirst, "f", ""}].Add(1'500'000'000);
  findings.compilations[{"torch", CompileKind::kBreak, "f", ""}].Add(0);
  facts.compilations = CompilationsText(findings);
  EXPECT_EQ(ClosingLines(facts)[1], "no event is in them but 1 compilation, which took 1.50 s");
  facts.compilations.clear();
  facts.traces[1].processes.clear();
  facts.traces[1].events = 1;
  EXPECT_EQ(ClosingLines(facts).size(), 2u);
  facts.traces[1].events = 0;
  facts.looked_for.reset();  // recover does not know
  EXPECT_EQ(ClosingLines(facts).size(), 2u);
}

RunFindings WithFunctions(std::initializer_list<const char*> names) {
  RunFindings findings;
  for (const char* name : names) findings.ranges[{"python", "py", name}].Add(1);
  findings.ranges[{"nvtx", "", "app.step"}].Add(1);
  return findings;
}

TEST(ClosingLinesTest, PatternsThatNoFunctionFitsAreNamed) {
  ClosingFacts facts;
  facts.traces = {Trace(0, 10), Trace(1, 10)};
  facts.looked_for = LookedFor();
  const RunFindings findings = WithFunctions({"app.VAE.decode", "app.run"});
  EXPECT_EQ(NoFunctionsText("", findings, facts), "");
  EXPECT_EQ(NoFunctionsText("*.decode, app.r?n", findings, facts), "");
  EXPECT_EQ(NoFunctionsText("*.decode, ap.run,app.step", findings, facts),
            "--python-ranges: no function that was called fits ap.run and app.step");
  EXPECT_EQ(NoFunctionsText("app.run", WithFunctions({}), facts),
            "--python-ranges: no function that was called fits app.run");
  facts.looked_for->presets = {{"mine", "*.decode, ap.run"}, {"other", "b.c(x)"}};
  EXPECT_EQ(NoFunctionsText("app.step,*.decode, ap.run,b.c(x)", findings, facts),
            "--preset other: none of its functions was called; --python-ranges: no function that "
            "was called fits app.step");
  EXPECT_EQ(NoFunctionsText("*.decode, ap.run,b.c(x)", findings, facts),
            "--preset other: none of its functions was called")
      << "of the first a part is used";
  facts.looked_for->presets = {};
  facts.directory = "/d";
  facts.no_functions = NoFunctionsText("x", findings, facts);
  EXPECT_EQ(ClosingLines(facts)[1], facts.no_functions);
}

// Names of which there are many have '#' for their digits.
TEST(ClosingLinesTest, PatternsMayFitNamesThatWereFolded) {
  ClosingFacts facts;
  facts.looked_for = LookedFor();
  const RunFindings findings = WithFunctions({"app.layer#.forward"});
  for (const char* fits : {"app.layer12.forward", "app.layer??.forward", "*.forward"})
    EXPECT_EQ(NoFunctionsText(fits, findings, facts), "") << fits;
  EXPECT_NE(NoFunctionsText("app.block12.forward", findings, facts), "");
}

TEST(ClosingLinesTest, PatternsAreNotNamedWhereTheirFunctionsMayNotHaveBeenSeen) {
  ClosingFacts seen;
  seen.traces = {Trace(0, 10)};
  seen.looked_for = LookedFor();
  const auto text = [&](auto change) {
    ClosingFacts facts = seen;
    change(facts);
    return NoFunctionsText("x", WithFunctions({}), facts);
  };
  EXPECT_NE(text([](ClosingFacts&) {}), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.looked_for.reset(); }), "") << "recover";
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.looked_for->list = "nvtx"; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.looked_for->processes = "a"; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.left_out_ranks = 1; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.missing_ranks = {1}; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.running = {"a"}; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.late = {"a"}; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.traces[0].losses["ring_full"] = 1; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) { facts.traces[0].processes[0].gate.gated = true; }), "");
  EXPECT_EQ(text([](ClosingFacts& facts) {
              facts.traces[0].processes[0].log = "error: --python-ranges records nothing: why\n";
            }),
            "");
}

}  // namespace
}  // namespace syncline
