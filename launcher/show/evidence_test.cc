// SPDX-License-Identifier: Apache-2.0
// What stands behind a finding, of traces that are written here.
#include "launcher/show/evidence.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "launcher/host/files.h"
#include "launcher/show/source_places.h"
#include "model/testing/test_directory.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr uint64_t kBase = 1'795'832'835'000'000'000;

std::string Slice(const char* category, const std::string& name, uint64_t tid, uint64_t begin_us,
                  uint64_t length_us, const std::string& arguments, const char* more = "") {
  return Text(R"({"ph": "X", "cat": ")", category, R"(", "name": ")", name,
              R"(", "pid": 7, "tid": )", tid, R"(, "ts": )", begin_us, R"(.0002, "dur": )",
              length_us, R"(, "args": {)", arguments, "}", more, "},\n");
}

class EvidenceTest : public ::testing::Test {
 protected:
  EvidenceTest() {
    report_.directory = directory_.path();
    report_.ranks.resize(1);
    report_.ranks[0].name = "rank-0";
    report_.ranks[0].rank = 0;
    report_.ranks[0].begin_ns = kBase;
    finding_.number = 1;
    finding_.wait_class = "stream";
    finding_.call = "waitCall";
    finding_.line = finding_.where = "train.xyz:3 main()";
  }

  void Write(const std::string& slices) {
    const std::string frame = "{\"category\": \"native\", \"name\": \"";
    const std::string text = Text("{\n\"baseTimeNanoseconds\": ", kBase, ",\n\"traceEvents\": [\n",
                                  slices, "{\"ph\": \"i\"}\n],\n\"stackFrames\": {\n\"1\": ", frame,
                                  "main.xyz:9 main()\"},\n\"2\": ", frame,
                                  "train.xyz:3 main()\", \"parent\": \"1\"}\n}\n}\n");
    EXPECT_EQ(WriteFile(directory_ / "rank-0.trace.json.gz", text), 0);
  }

  Json Evidence() {
    report_.findings = {finding_};
    const std::string text = EvidenceJson(report_);
    EXPECT_LE(text.size(), kMostEvidenceBytes);
    return ParseJson(text);
  }

  TestDirectory directory_;
  Report report_;
  ReportFinding finding_;
};

constexpr char kWaitArguments[] =
    R"x("call": "waitCall", "where": "train.xyz:3 main()", "waited_for": 65)x";

TEST_F(EvidenceTest, TheLongestWaitWithBothStacks) {
  Write(Slice("x_runtime", "launch", 7, 40, 5, R"("correlation": 65)", R"(, "sf": 1)") +
        Slice("x_runtime", "waitCall", 7, 100, 50, "", R"(, "sf": 2)") +
        Slice("sync_wait", "wait", 7 + (uint64_t{251} << 23), 10, 20, kWaitArguments) +
        Slice("sync_wait", "wait", 7 + (uint64_t{251} << 23), 100, 50, kWaitArguments) +
        Slice("kernel", "k", 7, 60, 80, "") + Slice("kernel", "later", 7, 150, 80, ""));
  const Json json = Evidence();
  EXPECT_EQ(json["schema"], "syncline.evidence/1");
  EXPECT_EQ(json["finding"]["number"], 1);
  EXPECT_EQ(json["slice"]["begin_ns"], kBase + 100'000);
  EXPECT_EQ(json["slice"]["length_ms"], 0.05);
  EXPECT_EQ(json["slice"]["view"], "--rank 0 --at 0.000100s");
  EXPECT_EQ(json["slice"]["records_in_all"], 3);
  EXPECT_EQ(json["slice"]["records"][0]["name"], "k") << "the longest";
  EXPECT_EQ(json["slice"]["records"][0]["after_begin_ms"], -0.04);
  ASSERT_EQ(json["stacks"].size(), 2u);
  EXPECT_EQ(json["stacks"][0]["call"]["name"], "waitCall");
  EXPECT_EQ(json["stacks"][0]["frames"].dump(), R"x(["train.xyz:3 main()","main.xyz:9 main()"])x");
  EXPECT_EQ(json["stacks"][1]["frames"].dump(), R"x(["main.xyz:9 main()"])x");
  EXPECT_TRUE(json["left_out"].empty());
}

TEST_F(EvidenceTest, BothEndsOfAGap) {
  finding_.kind = "host_work";
  finding_.wait_class = finding_.call = "";
  finding_.before = "train.xyz:1 main()";
  Write(Slice("gpu_idle", "host busy", 999'999'999, 100, 100,
              R"x("tid": 7, "before": "train.xyz:1 main()", "next": "train.xyz:3 main()")x") +
        Slice("x_runtime", "outer", 7, 90, 30, "", R"(, "sf": 1)") +
        Slice("x_driver", "inner", 7, 95, 2, "") + Slice("x_runtime", "next", 7, 190, 2, "") +
        Slice("x_runtime", "of another thread", 8, 150, 2, ""));
  const Json json = Evidence();
  EXPECT_EQ(json["stacks"][0]["call"]["name"], "outer");
  EXPECT_EQ(json["stacks"][1]["call"]["name"], "next");
  EXPECT_TRUE(json["stacks"][1]["frames"].empty());
  EXPECT_NE(json["stacks"][1]["unknown"], nullptr) << "it has no stack";
}

TEST_F(EvidenceTest, WhatIsNotKnownIsSaid) {
  Json json = Evidence();
  EXPECT_NE(json["slice"]["unknown"].dump().find("cannot read"), std::string::npos);
  EXPECT_TRUE(json["stacks"][0].contains("unknown"));
  EXPECT_TRUE(json["source"][0].contains("unknown"));
  Write("");
  EXPECT_EQ(Evidence()["slice"]["unknown"], "the trace of rank-0 shows no such time");
}

TEST_F(EvidenceTest, TooMuchIsLeftOutAndCounted) {
  std::string slices =
      Slice("sync_wait", "wait", 7 + (uint64_t{251} << 23), 0, 10'000, kWaitArguments);
  for (uint64_t i = 0; i < 500; ++i) slices += Slice("kernel", std::string(300, 'k'), 7, i, 3, "");
  Write(slices);
  Json json = Evidence();
  const auto shown = json["slice"]["records"].size();
  EXPECT_GT(shown, 5u);
  EXPECT_EQ(json["left_out"]["records"], 501 - shown);
  finding_.problem = finding_.advice = finding_.assumption = std::string(9000, '\x01');
  json = Evidence();
  EXPECT_EQ(json["left_out"]["ends of texts"], true);
}

TEST_F(EvidenceTest, LinesOfSourceAroundAPlace) {
  EXPECT_EQ(WriteFile(directory_.path() + "/a.py", "one\ntwo\nthree\nfour\nfive\nsix\n"), 0);
  EXPECT_EQ(WriteFile(directory_ / "passwd", "secret\n"), 0);
  const SourcePlace place = SourceAround("a.py:3-4 f()", {"/nowhere", directory_.path()});
  ASSERT_EQ(place.lines.size(), 6u);
  EXPECT_EQ(place.lines[0].text, "one");
  EXPECT_FALSE(place.lines[1].marked);
  EXPECT_TRUE(place.lines[2].marked && place.lines[3].marked);
  EXPECT_EQ(place.file, directory_.path() + "/a.py");
  for (const char* unknown : {"a.py:9 f()", "b.py:1 f()", "step", "a.py:0 f()", "", "passwd:1 f()"})
    EXPECT_FALSE(SourceAround(unknown, {directory_.path()}).unknown.empty()) << unknown;
}

}  // namespace
}  // namespace syncline
