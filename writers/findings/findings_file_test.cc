// SPDX-License-Identifier: Apache-2.0
// Findings are the same after they were written and read.
#include "writers/findings/findings_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "model/testing/scratch.h"
#include "writers/files/json_fields.h"
#include "writers/findings/columns.h"

namespace syncline {
namespace {

DeviceUse SomeDevice() {
  DeviceUse use;
  use.pid = 7;
  use.source = "cuda";
  use.device = 1;
  use.name = "Simulated H200";
  use.begin_ns = 10;
  use.end_ns = 90;
  use.operations = 5;
  use.busy_ns = 40;
  use.computing_ns = 30;
  use.communicating_ns = 20;
  use.communicating_alone_ns = 10;
  use.copying_ns = 9;
  use.copying_alone_ns = 8;
  use.memory_peak_bytes = 1024;
  use.memory_peak_at_ns = 55;
  use.kernels_ns = 25;
  use.gaps_ns[static_cast<size_t>(GapCause::kHostBusy)] = 12;
  use.gaps_ns[static_cast<size_t>(GapCause::kCopy)] = 3;
  use.launch_delay.Add(11);
  use.launch_delay.Add(4000);
  use.queued_ns = 5000;
  return use;
}

void AddShares(RankPart* part) {
  part->steps.push_back({7, "step #", {{100, 5, 0}, {200, 6, 1}, {150, 7, 9}}});
  part->steps[0].shares[TimeKind::kMakingData] = 12;
  part->steps[0].allocated_peaks = {5, 7, 6};
  part->steps[0].held_peaks = {9, 9, 9};
  AllocatorUse& use = part->allocators.emplace_back();
  use.pid = 7;
  use.program = "train";
  use.source = "torch";
  use.device = "cuda:0";
  use.taken = 12;
  use.peak = {100,         80, 90,
              10,          0,  "a.py:3 f()",
              "aten::add", "", {{"a.py:3 f()", "aten::add", BlockClass::kWeights, 70, 3}}};
  use.held_peak = 95;
  use.held_peak_at_ns = 120;
  use.unused_peak = 30;
  use.outside = 4;
  use.outside_known = true;
  use.out_of_memory = {use.peak};
  use.out_of_memory[0].requested = 1000;
  use.out_of_memory[0].step = "step 3";
  use.out_of_memory_count = 2;
  use.growth = {{"a.py:5 g()", "", 20, 4, 4, 5}};
  use.pieces = {1, 20, 40, 30, 90, 110, "a.py:9 h()"};
  part->steps[0].longest = {
      {150, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, "step #9", "a.py:8 f()", "cudaMalloc", "load", 70}};
  part->steps[0].program = "train";
  part->steps[0].work = {{0, 1, 2.5e20, 0, 7, 0}, 3e21, 2, 13};
  part->flops = {1, 0, 5e20, 0, 0, 8};
  part->shares[TimeKind::kOther] = 13;
}

void AddOperators(RankCollectives* met) {
  met->operations = {{"broadcast", "Float"}, {"barrier", ""}};
  met->sizes[5] = 4;  // no collective
  met->groups[5] = "tp \"0\"";
}

void AddMessages(uint64_t begin_ns, RankCollectives* met) {
  met->own[5] = 3;
  met->message_ranges = {"", "round # > get"};
  for (uint32_t i = 0; i < 3; ++i) {
    Message& message = met->messages.emplace_back();
    message.communicator = 5;
    message.peer = i;
    message.sends = i == 1;
    message.sequence = 7 + i;
    message.begin_ns = begin_ns + i * 10;
    message.end_ns = message.begin_ns + 4 + i;
    message.range = i % 2;
  }
}

void AddKernels(RunFindings* findings) {
  KernelsOfStages& stages = findings->stage_kernels;
  const StageKernel all{{9, 90, 80}, {9, 90, 80}}, some{{9, 90, 80}, {1, 10, 5}};
  const uint32_t add = stages.NumberOf({"cuda", "add(float*, int)"});
  stages.Add({"nvtx", "domain", "leaf"}, {{{add, all}}});
  stages.Add({"nvtx", "domain", "step #"},
             {{{stages.NumberOf({"", kOtherNames}), all}, {add, some}}});
  KernelFill& fill = findings->fills[{"cuda", "add(float*, int)"}];
  fill = {{1, 2, 3}, 132, {{{4, 5, 6}, {7, 8, 9}, {10, 11, 12}}}};
}

void AddCalls(RunFindings* findings) {
  const RangeKey of{"python", "py.call", "m.step", "serve"};
  LabelSums& sums = findings->labels[{"id", "a \"b\"", of}];
  sums.durations.Add(5);
  sums.work = {1, 2, 3, 4, 5, 6};
  findings->signatures[{of, "3f"}] = {"[{\"name\": \"x\", \"value\": 1}]", "null", "true", 7, 8};
}

void AddPrices(RunFindings* findings) {
  PriceKey price{"cuda",  Change::kHostWork, WaitClass::kEvent, "c",
                 "a > b", "a.py:3 f()",      "a.py:2"};
  findings->prices[price] = {2, 3, 2, 1, 1, 1, 4096, 0, 0, 0, 3, {4, 1}, {{"rank-1", {4, 1}}}};
  price.change = Change::kCopies;
  findings->prices[price] = {
      2, 3, 1, 2, 2, 2, 4100, 1, 1, 1, 3, {9, 0}, {{"rank-0", {7, 0}}, {"rank-1", {2, 0}}}};
}

void AddOfFramework(RunFindings* findings) {
  findings->operators[{"torch", "aten", "aten::mm"}] = {
      1, {2, 3, 4, 5, 6e20, 4}, {6, 7, 8, 9, 10, 3}};
  OperatorSums& shape = findings->operator_shapes[{{"torch", "aten", "aten::mm"}, "[[2, 3]]"}];
  findings->operator_lines[{{"torch", "aten", "aten::mm"}, "a.py:3 f()"}].count = 4;
  shape.computed = {{0, 1e20, 3}, {0, 12345678.25, 2}, 5, 1e18, 7e12, false};
  findings->modules[{"torch", "modules", "Net.a"}] = {
      1, {2, 3, 4, 5}, {6, 7, 8, 9}, {10, 11, 12, 13}, "Linear"};
  findings->compilations[{"torch", CompileKind::kAgain, "a.py:4 f()", "size"}].Add(7);
  findings->compiled[{"torch", CompiledKind::kFallback, "aten.b", "aten.b", "a.py:4 f()"}].Add(
      "0/1 backward");
}

void AddCollectives(uint64_t begin_ns, RankCollectives* met) {
  for (uint32_t i = 0; i < 3; ++i) {
    Collective done;
    done.communicator = 0xfedcba9876543210;
    done.sequence = i;
    done.begin_ns = begin_ns + i * 1000;
    done.end_ns = done.begin_ns + 10;
    done.kind = CollectiveKind::kBroadcast;
    done.operation = i;
    done.bytes = i * 4096;
    done.may_wait_ns = uint64_t{i} - 1;  // the first: for ever
    met->done.push_back(done);
  }
}

RunFindings Some() {
  RunFindings findings;
  RankPart& part = findings.ranks["rank-1"];
  part.rank = 1;
  part.world_size = 2;
  part.complete = true;
  part.host = "node-a";
  part.begin_ns = 1'780'000'000'123'456'789;
  part.end_ns = part.begin_ns + 5'000'000'000;
  part.losses["ring_full"] = 3;
  part.missing = {"waits and gaps: too many"};
  part.coverage.push_back({"", "calls only", "because", 5, 6});
  part.devices = {SomeDevice(), {}};
  part.stages.push_back({{"nvtx", "domain", "step #"}, 1, 2, 3, 4, 5});
  part.between_ranges_ns = 6;
  part.endings = {
      {7, "train", "killed by signal 9 (KILL)", 1, 2, "a > b", "c", "train.py:3 f()", 3, 4}};
  part.replay = {100, 90, 3, 7, 6, 5, 4, 80};
  part.recording_costs = {{7, 3, 9000, 5, 6000, 12, true}};
  part.joint_ns = {0, 7, 5, 11};
  AddShares(&part);
  RankCollectives& met = part.collectives;
  met.rank = 1;
  met.error_ns = 33;
  met.sizes[0xfedcba9876543210] = 2;
  met.left_out[static_cast<size_t>(LeftOut::kSendReceive)] = 6;
  met.clock = {"boot-id", -12345};
  AddOperators(&met);
  AddMessages(part.begin_ns, &met);
  AddCollectives(part.begin_ns, &met);
  for (uint64_t ns = 1; ns < 1'000'000'000'000; ns *= 3) {
    findings.ranges[{"nvtx", "domain", "step #"}].Add(ns);
    findings.kernels[{"cuda", "add(float*, int)"}].Add(ns);
    findings.copies[{"cuda", "Memcpy HtoD (Pinned -> Device)"}].durations.Add(ns);
    findings.waits[{"cuda", WaitClass::kPageableCopy, "cudaMemcpy", "a > b", "train.py:3 f()"}]
        .blocked.Add(ns);
    findings.gaps[{"cuda", GapCause::kHostBusy, "", "a", {"a.py:3 f()", "a.py:9 g()"}}].Add(ns);
  }
  findings.stages[{"nvtx", "domain", "step #"}] = {1, 2, 3, 4, 5, 6};
  AddOfFramework(&findings);
  findings.starved[{"cuda", "add(float*, int)"}] = {7, 8};
  findings.host_work[{"a.py:3 f()", HostActivity::kGil, "b.py:9 g()", "train"}] = {12};
  findings.host_work[{"", HostActivity::kBlocked, "read", ""}] = {3};
  AddKernels(&findings);
  AddPrices(&findings);
  AddCalls(&findings);
  findings.copies.begin()->second.bytes = uint64_t{1} << 50;
  findings.waits.begin()->second.needless = 4;
  findings.waits.begin()->second.unknown = 2;
  findings.waits.begin()->second.blocked.in_steps = {{"step #", {3, 5}}, {"batch #", {1, 2}}};
  findings.waits.begin()->second.statement = "loss.item()";
  findings.AddLongWaits(
      {{99, "rank-1", 5, 7, 8, {"cuda", WaitClass::kEvent, "c", "r", "a.py:1 <module>"}}});
  return findings;
}

TEST(FindingsFileTest, TheSameAfterwards) {
  const testing::Scratch scratch;
  const RunFindings before = Some();
  ASSERT_TRUE(WriteFindings(scratch / "f", before).ok());
  RunFindings after;
  const Status status = ReadFindings(scratch / "f", &after);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(before.ranges, after.ranges);
  EXPECT_EQ(before.kernels, after.kernels);
  EXPECT_EQ(before.copies, after.copies);
  EXPECT_EQ(before.waits, after.waits);
  EXPECT_EQ(before.gaps, after.gaps);
  EXPECT_EQ(before.host_work, after.host_work);
  EXPECT_EQ(before.longest_waits, after.longest_waits);
  EXPECT_EQ(before.stages, after.stages);
  EXPECT_EQ(before.operators, after.operators);
  EXPECT_EQ(before.modules, after.modules);
  EXPECT_EQ(before.compilations, after.compilations);
  EXPECT_EQ(before.compiled, after.compiled);
  EXPECT_EQ(before.operator_shapes, after.operator_shapes);
  EXPECT_EQ(before.operator_lines, after.operator_lines);
  EXPECT_EQ(before.stage_kernels.ByName(), after.stage_kernels.ByName());
  EXPECT_TRUE(!after.labels.empty() && before.labels == after.labels);
  EXPECT_TRUE(!after.signatures.empty() && before.signatures == after.signatures);
  EXPECT_EQ(before.starved, after.starved);
  EXPECT_EQ(before.fills, after.fills);
  EXPECT_EQ(before.prices, after.prices);
  EXPECT_EQ(FindingsText(before), FindingsText(after));
  const RankPart& part = after.ranks.at("rank-1");
  EXPECT_EQ(part.devices, before.ranks.at("rank-1").devices);
  EXPECT_EQ(part.replay, before.ranks.at("rank-1").replay);
  EXPECT_EQ(part.recording_costs, before.ranks.at("rank-1").recording_costs);
  EXPECT_EQ(part.stages, before.ranks.at("rank-1").stages);
  EXPECT_EQ(part.endings, before.ranks.at("rank-1").endings);
  EXPECT_EQ(part.allocators, before.ranks.at("rank-1").allocators);
  EXPECT_EQ(part.joint_ns, before.ranks.at("rank-1").joint_ns);
  EXPECT_EQ(part.between_ranges_ns, 6u);
  EXPECT_EQ(part.steps, before.ranks.at("rank-1").steps);
  EXPECT_EQ(part.shares, before.ranks.at("rank-1").shares);
  EXPECT_EQ(part.flops, before.ranks.at("rank-1").flops);
}

TEST(FindingsFileTest, CollectivesAreTheSameAfterwards) {
  const testing::Scratch scratch;
  const RunFindings before = Some();
  ASSERT_TRUE(WriteFindings(scratch / "f", before).ok());
  RunFindings after;
  ASSERT_TRUE(ReadFindings(scratch / "f", &after).ok());
  const RankPart& part = after.ranks.at("rank-1");
  EXPECT_EQ(part.collectives.clock, (ClockLine{"boot-id", -12345}));
  ASSERT_EQ(part.collectives.done.size(), 3u);
  EXPECT_EQ(part.collectives.done[2].begin_ns, part.begin_ns + 2000);
  EXPECT_EQ(part.collectives.done[2].kind, CollectiveKind::kBroadcast);
  const RankCollectives &met = part.collectives, &was = before.ranks.at("rank-1").collectives;
  EXPECT_EQ(met.sizes, was.sizes);
  EXPECT_EQ(met.own, was.own);
  EXPECT_EQ(met.groups, was.groups);
  EXPECT_EQ(met.operations, was.operations);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(met.done[i].operation, i);
    EXPECT_EQ(met.done[i].bytes, i * 4096);
  }
  EXPECT_EQ(met.message_ranges, was.message_ranges);
  ASSERT_EQ(met.messages.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const Message &one = met.messages[i], &other = was.messages[i];
    EXPECT_EQ(std::tuple(one.communicator, one.peer, one.sends, one.sequence, one.range),
              std::tuple(other.communicator, other.peer, other.sends, other.sequence, other.range));
    EXPECT_EQ(std::pair(one.begin_ns, one.end_ns), std::pair(other.begin_ns, other.end_ns));
  }
}

TEST(FindingsFileTest, WhatIsNoneIsRefusedWithItsName) {
  const testing::Scratch scratch;
  const std::string path = scratch / "f";
  RunFindings findings;
  EXPECT_NE(ReadFindings(path, &findings).message().find("No such file"), std::string::npos);
  for (const char* text : {"", "{", "[]", "{\"schema\": \"syncline.findings/2\"}"}) {
    std::ofstream(path) << text;
    const Status status = ReadFindings(path, &findings);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(path), std::string::npos);
  }
  ASSERT_TRUE(WriteFindings(path, Some()).ok());
  std::ifstream file(path, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(ReadFindings(path, &findings).ok());
  EXPECT_TRUE(findings.ranks.empty());
}

TEST(FindingsFileTest, AFileOfAnotherRankIsRefused) {
  const std::string text = FindingsText(Some());
  RunFindings findings;
  const Status status = ParseFindings(text, "copy.findings", &findings, "rank-2");
  EXPECT_NE(status.message().find("copy.findings is of rank-1: the file was copied or renamed"),
            std::string::npos)
      << status.message();
  EXPECT_TRUE(findings.ranks.empty());
  EXPECT_TRUE(ParseFindings(text, "rank-1.findings", &findings, "rank-1").ok());
}

TEST(FindingsFileTest, DamagedPartsAreLeftOut) {
  RunFindings findings;
  const Status status = ParseFindings(
      R"({"schema": "syncline.findings/1", "ranks": {"rank-0": {"rank": "x", "collectives":
          {"left_out": 5, "communicators": [7, {"id": "0x5", "ranks": "2", "sequence": "0 1",
          "begin_ns": "5 9223372036854775807", "duration_ns": "1 1", "kind": "0 77"}]}}, "rank-1": 3},
          "waits": [{"class": "no such"}, 1], "gaps": [{"cause": "no such"}], "ranges": {},
          "stages": [5, {"blocked_ns": "x", "launched": 4}], "starved": 7, "kernels": [{"name": "k"}],
          "stage_kernels": [7, {"name": "a", "kernel": "0 0 9", "launches": "1 1 1",
          "device_ns": "1 1 1", "cpu_ns": "2 2 2"}, {"name": "b", "kernel": "0 5", "launches": "1 1",
          "device_ns": "1", "cpu_ns": "x"}, {"name": "c", "kernel": "1", "launches": "4",
          "device_ns": "5", "cpu_ns": "6", "own_launches": "3"}],
          "prices": [{"change": "no such", "class": "device"}, {"change": "copies"}, []]})",
      "text", &findings);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(findings.ranks.size(), 2u);
  EXPECT_EQ(findings.ranks["rank-0"].collectives.done.size(), 1u);
  EXPECT_TRUE(findings.gaps.empty());
  EXPECT_TRUE(findings.waits.empty());
  EXPECT_TRUE(findings.starved.empty());
  EXPECT_TRUE(findings.prices.empty());
  EXPECT_EQ((findings.stages[{"", "", ""}].launched), 4u);
  const auto kernels = findings.stage_kernels.ByName();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ((kernels.at({"", "", "a"})),
            (std::map<OpKey, StageKernel>{{{"", "k"}, {{1, 1, 2}, {1, 1, 2}}}}));
}

// The same thing of three ranks.
std::vector<std::string> OfRanks() {
  std::vector<std::string> texts;
  for (uint64_t rank = 0; rank < 3; ++rank) {
    RunFindings findings;
    const std::string name = "rank-" + std::to_string(rank);
    findings.ranks[name].rank = static_cast<int32_t>(rank);
    findings.stages[{"nvtx", "", "step #"}] = {rank + 1, 2, 3, 4, 5, 600 - rank * 200};
    findings.stages[{"nvtx", "", name}] = {1, 2, 3, 4, 5, 6};
    findings.starved[{"cuda", "k"}] = {rank + 1, 10 * rank};
    findings.kernels[{"cuda", "k"}].Add(1);
    findings.fills[{"cuda", "k"}].few_blocks = {1, rank, 2};
    findings.fills[{"cuda", "k"}].multiprocessors = 100 + rank % 2;
    findings.kernels[{"cuda", name}].Add(1);
    KernelsOfStages& stages = findings.stage_kernels;
    for (const std::string& kernel : {name, std::string("k")}) {
      stages.Add({"nvtx", "", "step #"},
                 {{{stages.NumberOf({"cuda", kernel}), {{rank + 1, 5, 6}, {0, 0, rank}}}}});
    }
    findings.prices[{"cuda", Change::kCopies, WaitClass::kDevice, "", "step #", "", ""}] = {
        2, 0, 0, 0, 0, 0, 0, 0, 0, 0, rank, {5, rank}, {{name, {5, rank}}}};
    texts.push_back(FindingsText(findings));
  }
  return texts;
}

std::string MergedInOrder(const std::vector<size_t>& order) {
  const std::vector<std::string> texts = OfRanks();
  RunFindings all;
  for (const size_t i : order) EXPECT_TRUE(ParseFindings(texts[i], "text", &all).ok());
  return FindingsText(all);
}

TEST(FindingsFileTest, TheOrderOfMergingDoesNotMatter) {
  const std::string one = MergedInOrder({0, 1, 2});
  for (const auto& order :
       {std::vector<size_t>{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    EXPECT_EQ(one, MergedInOrder(order));
  RunFindings all;
  for (const std::string& text : OfRanks()) EXPECT_TRUE(ParseFindings(text, "text", &all).ok());
  EXPECT_EQ((all.stages[{"nvtx", "", "step #"}]), (StageWork{6, 6, 9, 12, 15, 600}));
  EXPECT_EQ(all.prices.begin()->second,
            (PriceSums{6,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       3,
                       {15, 3},
                       {{"rank-0", {5, 0}}, {"rank-1", {5, 1}}, {"rank-2", {5, 2}}}}));
}

TEST(FindingsFileTest, DeepNestingIsNoDanger) {
  for (const char bracket : {'[', '{'}) {
    std::string text = R"({"schema": "syncline.findings/1", "x": )";
    for (int i = 0; i < 300000; ++i) text += bracket == '[' ? "[" : "{\"a\":";
    RunFindings findings;
    EXPECT_FALSE(ParseFindings(text, "text", &findings).ok());  // and it never ends
    text += "1";
    for (int i = 0; i < 300000; ++i) text += bracket == '[' ? ']' : '}';
    text += "}";
    EXPECT_TRUE(ParseFindings(text, "text", &findings).ok());
  }
}

// Names of digits, blanks and marks are names, and columns of a file that was indented are columns.
TEST(FindingsFileTest, NamesLikeColumnsAreNames) {
  const std::string digits = "1234567890 1234567890";
  RunFindings before;
  for (const std::string& name : {digits, std::string("\1") + "0", std::string("a\\\"")}) {
    before.ranges[{"nvtx", name, name}].Add(5);
    before.kernels[{name, name}].Add(70000);
  }
  before.ranks["rank-0"].losses[digits] = 3;
  before.ranks["rank-0"].host = digits;
  for (uint64_t ns = 1; ns < 1'000'000; ns *= 2) before.kernels.begin()->second.Add(ns);
  RunFindings after, indented;
  const std::string text = FindingsText(before);
  ASSERT_TRUE(ParseFindings(text, "text", &after).ok());
  EXPECT_EQ(FindingsText(after), text);
  ASSERT_TRUE(ParseFindings(JsonText(ParseJson(text), 2), "text", &indented).ok());
  EXPECT_EQ(FindingsText(indented), text);
}

// A column where a number has to be, and what is none where a column has to be.
TEST(FindingsFileTest, FalseColumnsDoNoHarm) {
  RunFindings findings;
  ASSERT_TRUE(ParseFindings(R"({"schema": "syncline.findings/1", "ranks": {"rank-0": {
      "begin_ns": "1 2 3 4 5 6 7 8 9 10"}}, "kernels": [{"bucket": "\u00017", "in_bucket": "1"},
      {"bucket": 1, "in_bucket": "1"}]})",
                            "text", &findings)
                  .ok());
  EXPECT_EQ(findings.ranks["rank-0"].begin_ns, 0u);
  EXPECT_TRUE(findings.kernels.begin()->second.sketch.buckets().empty());
}

// A number that its field cannot hold is damage: nothing of the file is taken.
TEST(FindingsFileTest, NumbersThatCannotBeAreRefusedWithTheirField) {
  struct Case {
    const char* rest;
    const char* told;
  };
  for (const Case& of :
       {Case{R"("ranks": {"rank-0": {"rank": 0, "processes": -1}})", "-1 in \"processes\""},
        {R"("ranks": {"rank-0": {"rank": 4294967296}})", "4294967296 in \"rank\""},
        {R"("ranks": {"rank-0": {"losses": {"ring_full": -3}}})", "-3 in \"ring_full\""},
        {R"("ranks": {"rank-0": {"joint_ns": [1, -2]}})", "-2 in \"joint_ns\""},
        {R"("ranks": {"rank-0": {"collectives": {"communicators": [{"ranks": -4}]}}})",
         "-4 in \"ranks\""},
        {R"("stages": [{"name": "a", "launched": -5}])", "-5 in \"launched\""},
        {R"("kernels": [{"name": "k", "count": 18446744073709551616}])",
         "18446744073709551616 in \"count\""},
        {R"("prices": [{"change": "copies", "class": "device", "span": "between",
                        "gain_ns": {"rank-0": -6}}])",
         "-6 in \"rank-0\""}}) {
    RunFindings findings;
    const std::string text = Text(R"({"schema": "syncline.findings/1", )", of.rest, "}");
    const Status status = ParseFindings(text, "f.findings", &findings);
    EXPECT_TRUE(status.message().starts_with(Text("f.findings has ", of.told, ",")))
        << status.message();
    EXPECT_TRUE(findings.ranks.empty() && findings.kernels.empty() && findings.stages.empty());
  }
}

class Pieces : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    largest_ = std::max(largest_, bytes.size());
    text_ += bytes;
    return ++pieces_ == most_ ? Status::Error("full") : Status();
  }

  std::string text_;
  size_t largest_ = 0;
  size_t pieces_ = 0;
  size_t most_ = SIZE_MAX;
};

// As the whole would be printed, and never much more of it at once than a rank's steps.
TEST(FindingsFileTest, MergedFindingsAreWrittenInPieces) {
  RunFindings findings = Some();
  const std::vector<Step> steps(1000, {1'780'000'000'123'456'789, 5, 6});
  for (int rank = 2; rank < 10; ++rank)
    findings.ranks[Text("rank-", rank)].steps.push_back({7, "step\n#", steps});
  Pieces sink;
  ASSERT_TRUE(WriteMergedFindings(findings, {}, &sink).ok());
  const Json json = ParseJson(sink.text_);
  EXPECT_EQ(JsonText(json, 1), sink.text_);
  EXPECT_EQ(json["ranks"].size(), 9u);
  EXPECT_EQ(json["ranks"]["rank-9"]["steps"][0]["steps"].size(), steps.size());
  EXPECT_EQ(json["kernels"][0]["name"], "add(float*, int)");
  EXPECT_GT(sink.text_.size(), 7 * sink.largest_);
}

TEST(FindingsFileTest, AFullDiskEndsThePieces) {
  Pieces sink;
  sink.most_ = 3;
  EXPECT_EQ(WriteMergedFindings(Some(), {}, &sink).message(), "full");
  EXPECT_EQ(sink.pieces_, 3u);
}

TEST(ColumnsTest, AnyNumbersInAnyOrder) {
  const std::vector<uint64_t> values = {5, 0, UINT64_MAX, 1, uint64_t{1} << 63, 7};
  ColumnWriter writer;
  for (const uint64_t value : values) writer.Add(value);
  const std::string text = writer.Take();
  EXPECT_EQ(text.substr(0, 6), "5 -5 -");
  EXPECT_EQ(ReadColumn(text), values);
  EXPECT_EQ(ReadColumn("1 1 x 1"), (std::vector<uint64_t>{1, 2}));
  EXPECT_TRUE(ReadColumn("").empty());
}

}  // namespace
}  // namespace syncline
