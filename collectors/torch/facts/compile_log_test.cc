// SPDX-License-Identifier: Apache-2.0
// Entries of PyTorch 2.15 and 2.4, and what is none.
#include "collectors/torch/facts/compile_log.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace syncline::torch {
namespace {

std::vector<CompileEvent> Read(const std::string& text) {
  std::istringstream file(text);
  std::vector<CompileEvent> events;
  ReadCompileLog(file, {[&](const CompileEvent& event) { events.push_back(event); },
                        [](const CompiledPart&) {}, [](uint64_t) {}});
  return events;
}

std::string LineOf(const std::string& json, int64_t pid = 115) {
  return "V1130 05:31:00.303000 " + std::to_string(pid) + " torch/_dynamo/utils.py:2132] " + json +
         "\n";
}

std::string Metrics(const std::string& more) {
  return LineOf(R"({"compilation_metrics": {"compile_id": "0/1", "co_name": "f", "co_filename": )"
                R"("/a/comp.py", "co_firstlineno": 4, "entire_frame_compile_time_s": 1.5)" +
                more + "}, \"frame_id\": 0}");
}

TEST(CompileLogTest, TellsWhatACompilationTook) {
  const auto events = Read(Metrics(R"(, "cache_size": 0)"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, CompileKind::kFirst);
  EXPECT_EQ(events[0].file + " " + events[0].function, "/a/comp.py f");
  EXPECT_EQ(events[0].line, 4u);
  EXPECT_EQ(events[0].ns, 1'500'000'000u);
  EXPECT_EQ(events[0].pid, 115);
  EXPECT_EQ(events[0].why, "");
}

TEST(CompileLogTest, TellsWhyAgain) {
  const std::string reason =
      R"("recompile_reason": "0/0: n == 0     # return y.sum() * n  # comp.py:7 in f\nUser stack")";
  const auto events = Read(Metrics(", " + reason));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, CompileKind::kAgain);
  EXPECT_EQ(events[0].why, "n == 0");
}

// 2.4 has the thread there.
TEST(CompileLogTest, AThreadIsNoProcess) {
  const auto events = Read(
      LineOf(R"({"compilation_metrics": {"compile_id": "0/0", "co_name": "f"}})", 140175959933504));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].function, "f");
  EXPECT_EQ(events[0].pid, 0);
}

// 2.4 and 2.5 tell the reason before the compilation alone.
TEST(CompileLogTest, FindsTheReasonThatWasToldBefore) {
  const std::string reasons =
      LineOf(R"({"artifact": {"name": "recompile_reasons", "encoding": "json"}, "frame_id": 0, )"
             R"("frame_compile_id": 1, "attempt": 0, "has_payload": "a2"})") +
      "\t[\n\t\"0/0: tensor 'L['x']' size mismatch at index 0. expected 8, actual 9\"\n\t]\n";
  const auto events = Read(reasons + Metrics(""));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, CompileKind::kAgain);
  EXPECT_TRUE(events[0].why.starts_with("tensor 'L['x']' size mismatch")) << events[0].why;
  EXPECT_EQ(
      Read(reasons +
           LineOf(R"({"compilation_metrics": {"compile_id": "0/1", "co_name": "f"}})", 116))[0]
          .kind,
      CompileKind::kFirst)
      << "of another process";
}

TEST(CompileLogTest, ARestBehindABreakIsOfItsFunction) {
  const auto events = Read(LineOf(
      R"({"compilation_metrics": {"compile_id": "1/0", "co_name": "torch_dynamo_resume_in_f_at_6", )"
      R"("co_filename": "/a/comp.py", "co_firstlineno": 6}})"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].function, "f");
  EXPECT_EQ(events[0].line, 6u);
}

TEST(CompileLogTest, TellsWhereAGraphBreaks) {
  const std::string artifact =
      R"({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}, "frame_id": 0})";
  const auto events = Read(
      LineOf(artifact) +
      "\tGraph break in user code at /a/comp.py:6\n\tGraph Break Reason: a call\n\t\n\tFailed to "
      "trace builtin operator\n\t  Explanation: It does not know `print`\n" +
      LineOf(artifact) + "\tGraph break in user code at /b c.py:7\n\tReason: Unsupported: print\n");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, CompileKind::kBreak);
  EXPECT_EQ(events[0].file, "/a/comp.py");
  EXPECT_EQ(events[0].line, 6u);
  EXPECT_EQ(events[0].why, "It does not know `print`");
  EXPECT_EQ(events[1].file, "/b c.py");
  EXPECT_EQ(events[1].why, "Unsupported: print");
}

TEST(CompileLogTest, TellsWhatFailed) {
  const auto events = Read(Metrics(R"(, "fail_type": "Unsupported", "fail_reason": "no\nmore")"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, CompileKind::kFailed);
  EXPECT_EQ(events[0].why, "no");
}

std::string Phase(const std::string& name, const char* kind, uint64_t us) {
  return LineOf(R"({"chromium_event": {}, "frame_id": 0, "frame_compile_id": 1, "attempt": 0})") +
         "\t{\n\t\"name\": \"" + name + "\",\n\t\"ts\": " + std::to_string(us) +
         ".5,\n\t\"args\": {\"compile_id\": \"0/1\"},\n\t\"ph\": \"" + kind + "\"\n\t}\n";
}

TEST(CompileLogTest, TellsPhases) {
  constexpr uint64_t kUs = 1'796'027'515'975'571;
  const auto events =
      Read(Phase("dynamo", "B", kUs - 2000) + Phase("entire_frame_compile", "B", kUs) +
           Phase("inner", "B", kUs + 200'000) + Phase("never_ends", "B", kUs + 250'000) +
           Phase("outer_of_none", "E", kUs + 260'000) + Phase("inner", "E", kUs + 300'000) +
           Phase("short", "B", kUs + 300'000) + Phase("short", "E", kUs + 300'050) +
           Phase("entire_frame_compile", "E", kUs + 1'500'000) +
           Metrics(R"(, "start_time": 1796027515.975571)") + Phase("dynamo", "E", kUs + 1'600'000) +
           LineOf(R"({"bwd_compilation_metrics": {"compile_id": "0/1", "duration_us": 250, )"
                  R"("start_time": 1796027519.5, "co_name": null}})"));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].begin_ns, kUs * 1000);
  EXPECT_EQ(events[0].label, "frame 0, recompile 1");
  ASSERT_EQ(events[0].phases.size(), 1u) << "the whole of it says nothing";
  EXPECT_EQ(events[0].phases[0].name, "inner");
  EXPECT_EQ(events[0].phases[0].begin_ns, (kUs + 200'000) * 1000 + 500);
  EXPECT_EQ(events[0].phases[0].end_ns, (kUs + 300'000) * 1000 + 500);
  EXPECT_EQ(events[1].kind, CompileKind::kBackward);
  EXPECT_EQ(events[1].file + " " + events[1].function, "/a/comp.py f");
  EXPECT_EQ(events[1].ns, 250'000u);
  EXPECT_EQ(events[1].phases.size(), 0u) << "what was before is of the forward's";
}

// The outermost phase ends when the compilation is told already.
TEST(CompileLogTest, TellsPhasesHoweverManyCompilationsThereAre) {
  constexpr uint64_t kUs = 1'796'027'515'975'571;
  std::string log;
  for (int i = 0; i < 4500; ++i) {
    const std::string id = R"("frame_id": )" + std::to_string(i) + R"(, "frame_compile_id": 0})";
    for (const char* event : {R"("outer", "ph": "B")", R"("in", "ph": "B")", R"("in", "ph": "E")",
                              "", R"("outer", "ph": "E")"}) {
      const bool ends = std::string_view(event).ends_with("\"E\"");
      log += *event == 0 ? LineOf(R"({"compilation_metrics": {"co_name": "f", "compile_id": ")" +
                                  std::to_string(i) +
                                  R"(/0", "entire_frame_compile_time_s": 1, )"
                                  R"("start_time": 1796027515.97}})")
                         : LineOf(R"({"chromium_event": {}, )" + id) + "\t{\"name\": " + event +
                               ", \"ts\": " + std::to_string(kUs + (ends ? 1000 : 0)) + "}\n";
    }
  }
  const auto events = Read(log);
  ASSERT_EQ(events.size(), 4500u);
  for (const CompileEvent& event : events) ASSERT_EQ(event.phases.size(), 1u) << event.id;
}

TEST(CompileLogTest, ReadsEntriesOfARank) { EXPECT_EQ(Read("[rank0]:" + Metrics("")).size(), 1u); }

// A line without an end is no reason to keep it all.
TEST(CompileLogTest, PassesOverLinesThatAreTooLong) {
  const std::string too_long(size_t{9} << 20, 'x');
  std::istringstream file(Metrics("") + too_long + "\n" + Metrics("") + too_long);
  uint64_t events = 0, left_out = 0;
  ReadCompileLog(file, {[&](const CompileEvent&) { ++events; }, [](const CompiledPart&) {},
                        [&](uint64_t count) { left_out += count; }});
  EXPECT_EQ(events, 2u);
  EXPECT_EQ(left_out, 2u);
}

// The limit of compilations is told without a function.
TEST(CompileLogTest, TellsWhatWasRefused) {
  const auto events = Read(
      LineOf(
          R"({"compilation_metrics": {"compile_id": "16/0", "co_name": "f11", "co_filename": "a.py"}})") +
      LineOf(
          R"({"compilation_metrics": {"compile_id": "16/3", "co_name": null, "fail_type": )"
          R"("Unsupported", "fail_reason": "Dynamo recompile limit exceeded\n  Explanation: too many"}})") +
      LineOf(R"({"compilation_metrics": {"co_name": "f", "fail_type": "BackendCompilerFailed", )"
             R"("fail_reason": "backend='b' raised:\nRuntimeError: refused\n\nmore"}})"));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].kind, CompileKind::kFailed);
  EXPECT_EQ(events[1].why, "too many");
  EXPECT_EQ(events[1].file + " " + events[1].function, "a.py f11");
  EXPECT_EQ(events[2].why, "backend='b' raised: RuntimeError: refused");
}

TEST(CompileLogTest, WhatIsNoEntryIsPassedOver) {
  for (const std::string& text :
       {std::string("] {"), std::string("\t\n"),
        std::string("V1 x -5 y] {\"compilation_metrics\": 1}\n"),
        LineOf(R"({"compilation_metrics": [)"), LineOf(R"({"compilation_metrics": 7})"),
        LineOf(R"({"compilation_metrics": {"co_name": 3}})"),
        LineOf(R"({"artifact": {"name": {}}})"), LineOf(R"({"artifact": 1})"),
        std::string(100, '\0')})
    EXPECT_EQ(Read(text).size(), 0u) << text;
}

}  // namespace
}  // namespace syncline::torch
