// SPDX-License-Identifier: Apache-2.0
// A report for programs, wikis and spreadsheets.
#include <gtest/gtest.h>

#include "writers/files/json_fields.h"
#include "writers/tables/html.h"
#include "writers/tables/report_csv.h"
#include "writers/tables/report_json.h"
#include "writers/tables/report_markdown.h"
#include "writers/tables/report_text.h"
#include "writers/tables/stage_breakdown.h"
#include "writers/tables/test_report.h"

namespace syncline {
namespace {

using testing::SampleFinding;
using testing::SampleReport;

TEST(ReportJsonTest, Findings) {
  Report report = SampleReport();
  report.recording_costs = {{"rank-0", {7, 3, 82'000'000, 4, 56'000'000, 3600, true}}};
  const Json json = ParseJson(ReportJson(report));
  EXPECT_EQ(json["recording_cost"][0]["calls_of_step"], 1200);
  EXPECT_EQ(json["schema"], "syncline.report/1");
  EXPECT_EQ(json["devices_are"], "Simulated");
  EXPECT_EQ(
      json["findings"][0].dump(),
      R"x({"number":1,"kind":"read_back","problem":"the host waits for the GPU at train.py:38 main()",)x"
      R"x("place":"train.py:38 main()","where":"train.py:38 main()","before":"","after":"","below":"","statement":"","lines":"",)x"
      R"x("class":"stream","call":"syncCall","rank":"rank 3","stage":"log","program":"","count":20,"blocked_ms":30.0,)x"
      R"x("gain":"-24.4 ms (12 %)",)x"
      R"x("gain_ms":24.4,"gain_percent":12.2,"ahead_ms":0.0,"workers":0,"step":null,"more_ms":null,"share_percent":0.0,"worth":true,)x"
      R"x("assumption":"if it is not needed there","advice":"read the value once per N steps",)x"
      R"x("lost":"","view":"","trace":"","begin_ns":0,"parts":[]})x");
  EXPECT_TRUE(json["findings"][1]["gain_ms"].is_null()) << "no price is not a price of zero";
  for (const char* section : {"stages", "steps", "kernels", "kernel_classes", "copies", "devices",
                              "ranks", "recording_cost", "losses", "health", "problems"})
    EXPECT_FALSE(json[section].empty()) << section;
  EXPECT_EQ(
      json["steps"][0]["outliers"].dump(),
      R"([{"name":"step 2","number":2,"begin_ns":3,"duration_ms":30.0,"longer_by":"","longer_by_ms":null,"view":"--rank 0 --at 0.000000s"}])");
}

// Numbers that nobody knows, and that the whole is a part, stand in every format.
TEST(ReportFilesTest, WhatIsLostAndWhatLimitsIsInAllFormats) {
  Report report = SampleReport();
  report.limits = {"--steps 5:8", "--delay 3s"};
  report.lost_matters = true;
  report.devices[0].lost = report.ranks[0].lost = report.findings[0].lost = {77, 85, true};
  report.findings[0].priced = false;
  const Json json = ParseJson(ReportJson(report));
  EXPECT_EQ(json["limits"].dump(), R"(["--steps 5:8","--delay 3s"])");
  EXPECT_EQ(json["findings"][0]["lost"], "77 of 85 GPU records are lost");
  EXPECT_EQ(json["devices"][0]["records_lost"], 77);
  for (const char* unknown : {"busy_ms", "idle_ms", "computing_ms", "copying_ms"})
    EXPECT_TRUE(json["devices"][0][unknown].is_null()) << unknown;
  EXPECT_TRUE(json["ranks"][0]["busy_ms"].is_null());
  EXPECT_FALSE(json["ranks"][1]["busy_ms"].is_null()) << "it lost nothing";
  EXPECT_TRUE(json["stages"][0]["busy_percent"].is_null());
  EXPECT_TRUE(json["imbalance_percent"].is_null());
  EXPECT_TRUE(ParseJson(BreakdownJson(report))["temporal"][0]["idle_percent"].is_null());
  for (const auto& [format, text] :
       {std::pair{"text", ReportText(report, {120, false, true})},
        std::pair{"md", ReportMarkdown(report)}, std::pair{"html", ReportHtml(report)}}) {
    EXPECT_NE(text.find("limited recording: --steps 5:8, --delay 3s"), std::string::npos) << format;
    EXPECT_NE(text.find("77 of 85 GPU records are lost"), std::string::npos) << format;
    EXPECT_EQ(text.find("imbalance 33 %"), std::string::npos) << format;
  }
  const std::string text = ReportText(report, {120, false, true});
  EXPECT_NE(text.find("imbalance ?"), std::string::npos);
  EXPECT_NE(ReportCsv(report).find(",77 of 85 GPU records are lost,\"'--steps 5:8, --delay 3s\","),
            std::string::npos)
      << ReportCsv(report);
}

// How a process ended, and what each rank was in, stand in every format.
TEST(ReportFilesTest, EndingsAndRanksAreInAllFormats) {
  Report report = SampleReport();
  report.devices.clear();
  report.imbalance.reset();
  report.findings = {SampleFinding()};
  report.findings[0].priced = false;
  report.findings[0].wait_class.clear();
  report.findings[0].share = 0.25;
  report.range_shares = {{"compute", 0.75}};
  ProcessEnding end;
  end.pid = 47;
  end.program = "train";
  end.how = "killed by signal 9 (KILL)";
  end.ranges = "epoch > wait";
  end.call = "wait_for_peer";
  end.where = "train.py:8 main()";
  end.open_ns = 1'760'000'000;
  report.endings = {{"rank-1", end}};
  StageTime time;
  time.key = {"nvtx", "", "compute"};
  time.count = 20;
  time.total_ns = time.own_ns = 600'000'000;
  report.rank_stages = {{"rank-1", time, 500'000'000}};
  const std::string ending =
      "rank-1: train (47) was killed by signal 9 (KILL), in wait_for_peer at train.py:8 main(), "
      "which had not returned for 1.76 s, within `epoch > wait`";
  const Json json = ParseJson(ReportJson(report));
  EXPECT_TRUE(json["imbalance_percent"].is_null());
  EXPECT_EQ(json["endings"][0]["problem"], ending);
  EXPECT_EQ(json["endings"][0]["where"], "train.py:8 main()");
  EXPECT_EQ(json["findings"][0]["share_percent"], 25.0);
  EXPECT_EQ(json["rank_stages"][0]["mean_ms"], 30.0);
  EXPECT_EQ(json["rank_stages"][0]["beyond_ms"], 500.0);
  const std::string text = ReportText(report, {400, false, false});
  EXPECT_EQ(text.find(ending), text.find('\n') + 1) << text;
  for (const auto& [format, whole] :
       {std::pair{"text", text}, std::pair{"md", ReportMarkdown(report)},
        std::pair{"html", ReportHtml(report)}}) {
    EXPECT_NE(whole.find("which had not returned for 1.76 s"), std::string::npos) << format;
    EXPECT_NE(whole.find("so nothing can be priced"), std::string::npos) << format;
    EXPECT_NE(whole.find(" (75 %)"), std::string::npos) << format;
    EXPECT_NE(whole.find("500 ms"), std::string::npos) << format;
    EXPECT_EQ(whole.find("mbalance"), std::string::npos) << format;
  }
  const std::string csv = ReportCsv(report);
  EXPECT_NE(csv.find("\r\n,ending,\"rank-1: train (47) was killed"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\r\n,stage_of_rank,,,,,,,,,,,,rank-1,compute,,20,,,,,,600.000000,"),
            std::string::npos)
      << csv;
}

TEST(ReportFilesTest, StagesByLabelAreInThePageAndInTheSheet) {
  Report report = SampleReport();
  EXPECT_EQ(ReportHtml(report).find("id=\"labels\""), std::string::npos);
  LabelSums sums{testing::SumsOf({2'000'000}), {}};
  sums.work.device_ns = 500'000;
  report.labels = {{{"id", "=7", {"python", "py", "serve.step"}}, sums},
                   {{"size", "<b>", {"python", "py", "serve.step"}}, sums}};
  const std::string page = ReportHtml(report);
  const std::string part = page.substr(page.find("<section id=\"labels\">"));
  EXPECT_NE(part.find("<code>id = =7</code>"), std::string::npos) << part;
  EXPECT_NE(part.find("<code>size = &lt;b&gt;</code>"), std::string::npos) << part;
  const std::string csv = ReportCsv(report);
  EXPECT_NE(csv.find(",label,value,device_ms\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\r\n,stage_by_label,,,,,,,,,,,,,serve.step,,1,0.000000,,,,,2.000000,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",id,'=7,0.500000\r\n"), std::string::npos) << csv;
  report.wish.label = "size";
  EXPECT_EQ(ReportCsv(report).find("'=7"), std::string::npos);
}

TEST(ReportFilesTest, RanksAreLimitedAndOneFindingHasNone) {
  Report report = SampleReport();
  report.endings.resize(1);
  report.endings[0].end.how = "killed by signal 9 (KILL)";
  StageTime time;
  time.key = {"nvtx", "", "compute"};
  time.total_ns = 600'000'000;
  report.rank_stages = {{"rank-0", time, 0}, {"rank-1", time, 0}};
  report.rank_stages[1].time.total_ns += 1;
  report.wish = {"total", 1};
  EXPECT_EQ(ReportCsv(report).find("rank-0,compute"), std::string::npos) << "the longer one";
  EXPECT_NE(ReportCsv(report).find("rank-1,compute"), std::string::npos);
  report.only_finding = true;
  EXPECT_FALSE(ParseJson(ReportJson(report)).contains("endings"));
  for (const std::string& whole :
       {ReportText(report, {400, false, false}), ReportMarkdown(report), ReportCsv(report)}) {
    EXPECT_EQ(whole.find("was killed"), std::string::npos) << whole;
    EXPECT_EQ(whole.find("rank-1,compute"), std::string::npos) << whole;
  }
}

TEST(ReportJsonTest, Timing) {
  const Json json = ParseJson(TimingJson(SampleReport()));
  EXPECT_EQ(json["schema"], "syncline.timing/1");
  const Json& stage = json["stages"][0];
  EXPECT_EQ(stage["name"], "step #");
  EXPECT_EQ(stage["count"], 3);
  EXPECT_EQ(stage["total_ms"], 47.0);
  EXPECT_EQ(stage["busy_percent"], 50.0);
  EXPECT_EQ(json["steps"][0]["steps"].dump(), "[[0,1,8000000],[1,2,9000000],[2,3,30000000]]");
}

TEST(ReportJsonTest, BreakdownAsHtaHasIt) {
  const Json json = ParseJson(BreakdownJson(SampleReport()));
  EXPECT_EQ(json["schema"], "syncline.breakdown/1");
  const Json& device = json["temporal"][0];
  EXPECT_EQ(device["total_ms"], 200.0);
  EXPECT_EQ(device["idle_ms"], 100.0);
  EXPECT_EQ(device["compute_ms"], 80.0);
  EXPECT_EQ(device["non_compute_ms"], 20.0);
  EXPECT_EQ(device["idle_percent"], 50.0);
}

TEST(StageBreakdownsTest, AStageHasItsKernels) {
  const auto files = StageBreakdowns(SampleReport());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].first, "step_breakdown.json");
  const Json json = ParseJson(files[0].second);
  EXPECT_EQ(json["schema"], "syncline.stage-breakdown/1");
  EXPECT_EQ(json["stage"], "step #");
  EXPECT_EQ(json["launches"], 6);
  EXPECT_EQ(json["device_ms"], 4.0);
  EXPECT_EQ(json["cpu_ms"], 0.025);
  const Json& fill = json["kernels"][1];
  EXPECT_EQ(fill["name"], "fill");
  EXPECT_EQ(fill["share_percent"], 25.0);
  EXPECT_EQ(fill["launches"], 2);
  EXPECT_EQ(fill["own_launches"], 1);
  EXPECT_EQ(fill["own_device_ms"], 0.6);
}

TEST(StageBreakdownsTest, NoNameOfAStageIsAPath) {
  Report report = SampleReport();
  const ReportStageKernels stage = report.stage_kernels[0];
  report.stage_kernels.clear();
  for (const std::string& name : {std::string("../../etc/passwd"), std::string("Step"),
                                  std::string("step 3"), std::string("step #"), std::string("step"),
                                  std::string("\xff/"), std::string(".."), std::string(300, 'x')}) {
    report.stage_kernels.push_back(stage);
    report.stage_kernels.back().key.name = name;
  }
  std::vector<std::string> names;
  for (const auto& [name, text] : StageBreakdowns(report)) {
    names.push_back(name);
    EXPECT_FALSE(ParseJson(text).is_discarded()) << name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "_.._etc_passwd_breakdown.json", "Step_breakdown.json", "step_3_breakdown.json",
                "step-2_breakdown.json", "step-3_breakdown.json", "stage_breakdown.json",
                "stage-2_breakdown.json", std::string(80, 'x') + "_breakdown.json"}));
  report.stage_kernels.resize(1);
  report.stage_kernels.resize(100, stage);
  EXPECT_EQ(StageBreakdowns(report).size(), kMostStageBreakdowns);
}

TEST(ReportJsonTest, KernelsOfStagesWhereAllIsAskedFor) {
  Report report = SampleReport();
  EXPECT_FALSE(ParseJson(ReportJson(report)).contains("stage_kernels"));
  report.all_tables = true;
  const Json row = ParseJson(ReportJson(report))["stage_kernels"][0];
  EXPECT_EQ(row["stage"], "step #");
  EXPECT_EQ(row["name"], "ampere_sgemm_128x64_tn");
  EXPECT_EQ(row["launches"], 4);
  EXPECT_EQ(row["cpu_ms"], 0.02);
  EXPECT_NE(ReportText(report, {400, false, true}).find("step #: ampere_sgemm_128x64_tn"),
            std::string::npos);
}

TEST(ReportJsonTest, AnyBytesAreJson) {
  Report report = SampleReport();
  report.stages[0].key.name = "\xff\"\n";
  EXPECT_FALSE(ParseJson(ReportJson(report)).is_discarded());
  report.devices[0].use = {};
  EXPECT_FALSE(ParseJson(BreakdownJson(report)).is_discarded());
  EXPECT_FALSE(ParseJson(ReportJson({})).is_discarded());
}

TEST(ReportMarkdownTest, AsItIs) {
  const std::string text = ReportMarkdown(SampleReport());
  EXPECT_EQ(text.substr(0, text.find("\n## Stages")),
            R"x(# train-123

2 ranks on 1 host, 200 ms, 1,234,567 events. **Simulated**: no real device took these times.

## What to change

1. **-24.4 ms (12 %)** the host waits for the GPU at train.py:38 main(); 20 times; rank 3; in `log`\
   read the value once per N steps, if it is not needed there
2. **waited 30.0 ms** memory is taken in a loop: train.py:50 step(); once; rank 3; in `log`
)x");
  EXPECT_NE(
      text.find("\n| `mul<float>` | 3.00 ms | 75 % | 1 | element-wise | 3.00 ms | 500 ns |\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\nby class: element-wise 75 %, matmul 25 %\n"), std::string::npos) << text;
}

TEST(ReportMarkdownTest, NothingMeansAnything) {
  EXPECT_EQ(MarkdownText("<img src=x> *a* [b](c) snake_case _d_ |"),
            "\\<img src=x\\> \\*a\\* \\[b\\](c) snake_case \\_d\\_ \\|");
  EXPECT_EQ(MarkdownCode("a`|\nb"), "`a'\\|?b`");
  EXPECT_EQ(MarkdownCode(""), "");
}

TEST(ReportCsvTest, AsItIs) {
  EXPECT_EQ(
      ReportCsv(SampleReport()),
      "number,kind,problem,place,where,before,after,below,statement,lines,class,call,parts,rank,"
      "stage,program,count,blocked_ms,gain,gain_ms,gain_percent,share_percent,total_ms,assumption,"
      "advice,"
      "devices_are,lost,limits,view,label,value,device_ms\r\n"
      "1,read_back,the host waits for the GPU at train.py:38 main(),train.py:38 main(),"
      "train.py:38 main(),,,,,,stream,syncCall,,rank 3,log,,20,30.000000,'-24.4 ms (12 "
      "%),24.400000,"
      "12.200000,,,if it is not needed there,read the value once per N steps,Simulated,,,,,,\r\n"
      "2,read_back,memory is taken in a loop,train.py:50 step(),train.py:50 step(),,,,,,stream,"
      "syncCall,,rank 3,log,,1,30.000000,waited 30.0 ms,,,,,,,Simulated,,,,,,\r\n");
}

TEST(ReportCsvTest, NoCellIsAFormula) {
  EXPECT_EQ(CsvCell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(CsvCell("  @a"), "'  @a");
  EXPECT_EQ(CsvCell("-1,\"2\""), "\"'-1,\"\"2\"\"\"");
  EXPECT_EQ(CsvCell("a\r\n=b\t"),
            "a?"
            "?=b?");
  EXPECT_EQ(CsvCell("\t=b"), "?=b");
  EXPECT_EQ(CsvCell("plain"), "plain");
}

}  // namespace
}  // namespace syncline
