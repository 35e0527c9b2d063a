// SPDX-License-Identifier: Apache-2.0
// What an engineer sees on a terminal.
#include "writers/tables/report_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "base/utf8.h"
#include "report/words.h"
#include "writers/tables/report_csv.h"
#include "writers/tables/report_markdown.h"
#include "writers/tables/test_report.h"

namespace syncline {
namespace {

using testing::SampleReport;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Each text of a report, as somebody might choose it who means harm.
Report PoisonedReport() {
  constexpr char kEvil[] = "\x1b[31m\x07\xc2\x9b\xe2\x80\xa8\xe2\x80\xae\xff\r\n";
  Report report = SampleReport();
  std::vector<std::string*> texts = {&report.directory, &report.health[0], &report.problems[0]};
  for (ReportFinding& one : report.findings) {
    texts.insert(texts.end(),
                 {&one.kind, &one.problem, &one.where, &one.wait_class, &one.call, &one.rank,
                  &one.stage, &one.assumption, &one.advice, &one.trace, &one.line, &one.before});
  }
  for (ReportStage& one : report.stages)
    texts.insert(texts.end(), {&one.key.source, &one.key.domain, &one.key.name});
  for (ReportSteps& one : report.steps) texts.insert(texts.end(), {&one.rank, &one.name});
  for (ReportKernel& one : report.kernels)
    texts.insert(texts.end(), {&one.key.source, &one.key.name});
  for (ReportCopy& one : report.copies) texts.insert(texts.end(), {&one.key.source, &one.key.name});
  for (ReportDevice& one : report.devices)
    texts.insert(texts.end(), {&one.rank, &one.use.source, &one.use.name});
  for (ReportRank& one : report.ranks)
    texts.insert(texts.end(), {&one.name, &one.host, &one.late_stage});
  for (std::string* text : texts) *text += kEvil;
  report.losses[kEvil] = 1;
  return report;
}

TEST(ReportTextTest, NothingInItControlsATerminal) {
  const Report report = PoisonedReport();
  for (const bool all : {false, true}) {
    const std::string text = ReportText(report, {100, false, all});
    EXPECT_EQ(PrintableLines(text), text);
  }
  const std::string page = ReportMarkdown(report);
  EXPECT_EQ(PrintableLines(page), page);
  std::string csv = ReportCsv(report);
  for (size_t at; (at = csv.find("\r\n")) != std::string::npos;) csv.erase(at, 1);  // RFC 4180
  EXPECT_EQ(PrintableLines(csv), csv);
}

TEST(ReportTextTest, AsItIs) {
  EXPECT_EQ(ReportText(SampleReport(), {100, false, false}),
            R"x(train-123: 2 ranks on 1 host, 200 ms, 1,234,567 events   (Simulated)
1  -24.4 ms (12 %)  the host waits for the GPU at train.py:38 main(); 20 times; rank 3; in `log`
                    read the value once per N steps, if it is not needed there
2   waited 30.0 ms  memory is taken in a loop: train.py:50 step(); once; rank 3; in `log`

Stages                                      total     count    median   blocked  GPU busy      95 %
step #                                    47.0 ms         3   8.98 ms   30.0 ms      50 %   30.0 ms

Steps                                      median     count   longest     which  outliers
rank-0, step #                            8.00 ms         3   30.0 ms         2         1

Outliers                                     took    median
rank-0, step 2                            30.0 ms   8.00 ms
step 2; open it with `syncline view DIR --rank 0 --at 0.000000s`

Kernels                                     total     share     count         class    median
mul<float>                                3.00 ms      75 %         1  element-wise   3.00 ms
ampere_sgemm_128x64_tn                    1.00 ms      25 %         1        matmul   1.00 ms
by class: element-wise 75 %, matmul 25 %

Copies                                      total     bytes     count        rate
Memcpy HtoD (Pageable -> Device)          1.00 ms   1.0 MiB         1  1000 MiB/s

Devices                                      busy   compute     comm.    copies      idle
rank-0, cuda 0: Simulated H100-like GPU      50 %      40 %     0.0 %      10 %    100 ms

Ranks                                     compute      busy      last      paid   late in
rank-1 on node1                           40.0 ms      20 %     39/40   9.00 ms      data
rank-0 on node1                           80.0 ms      40 %      1/40   10.0 us
imbalance 33 %; paid: what the others waited for the rank in collectives

To know about these numbers
- run/rank-2.findings is no file of findings
- lost: 7 because the thread's ring was full
)x");
}

TEST(ReportTextTest, OnANarrowTerminal) {
  EXPECT_EQ(ReportText(SampleReport(), {64, false, false}),
            R"x(train-123: 2 ranks on 1 host, 200 ms, 1,234,567...   (Simulated)
1  -24.4 ms (12 %) the host waits for the GPU at train.py:38
   main()
   20 times; rank 3; in `log`: read the value once per N steps,
   if it is not needed there
2  waited 30.0 ms memory is taken in a loop: train.py:50 step()
   once; rank 3; in `log`

Stages                       total     count    median   blocked
step #                     47.0 ms         3   8.98 ms   30.0 ms

Steps                       median     count   longest     which
rank-0, step #             8.00 ms         3   30.0 ms         2

Outliers                      took    median
rank-0, step 2             30.0 ms   8.00 ms
step 2; open it with `syncline view DIR --rank 0 --at 0.000000s`

Kernels                      total     share     count
mul<float>                 3.00 ms      75 %         1
ampere_sgemm_128x64_tn     1.00 ms      25 %         1
by class: element-wise 75 %, matmul 25 %

Copies                       total     bytes     count
Memcpy HtoD (Pageable...   1.00 ms   1.0 MiB         1

Devices                       busy   compute     comm.    copies
rank-0, cuda 0: Simul...      50 %      40 %     0.0 %      10 %

Ranks                      compute      busy      last      paid
rank-1 on node1            40.0 ms      20 %     39/40   9.00 ms
rank-0 on node1            80.0 ms      40 %      1/40   10.0 us
imbalance 33 %; paid: what the others waited for the rank in
collectives

To know about these numbers
- run/rank-2.findings is no file of findings
- lost: 7 because the thread's ring was full
)x");
}

// Names from anybody: controls, halves of characters, wide ones, very long ones.
Report Hostile() {
  Report report = SampleReport();
  const std::string name = "\033]0;x\a\r\n\xff\xe6\xad\xa5" + std::string(5000, 'x') + "\xe6\xad";
  report.directory = "/" + name;
  for (ReportFinding& finding : report.findings)
    finding.problem = finding.where = finding.stage = finding.rank = finding.advice =
        name + " " + name;
  report.stages[0].key.name = report.steps[0].name = report.kernels[0].key.name = name;
  report.copies[0].key.name = report.devices[0].use.name = report.ranks[0].name = name;
  report.ranks[0].late_stage = report.devices[0].rank = name;
  report.health.push_back(name);
  for (int i = 0; i < 500; ++i) {
    report.findings.push_back(report.findings[0]);
    report.stages.push_back(report.stages[0]);
    report.health.push_back("something");
  }
  return report;
}

TEST(ReportTextTest, HostileNamesStayInTheirLinesAndColumns) {
  for (const size_t columns : {1u, 40u, 80u, 100u, 120u, 300u}) {
    const std::string text = ReportText(Hostile(), {columns, false, false});
    const std::vector<std::string> lines = LinesOf(text);
    EXPECT_LE(lines.size(), kMostTextLines);
    for (const std::string& line : lines) {
      EXPECT_LE(ColumnsOf(line), std::max<size_t>(columns, 40)) << line;
      for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    }
    EXPECT_NE(lines[0].find("(Simulated)"), std::string::npos) << lines[0];
  }
}

// A log of a system that builds runs lines that begin so.
TEST(ReportTextTest, NoNameIsACommandOfALog) {
  Report report = SampleReport();
  std::string name = "::error::x";
  for (int i = 0; i < 60; ++i) name += " ::warning file=a::b ##vso[c]";
  report.directory = "/" + name;
  for (ReportFinding& one : report.findings) one.problem = one.advice = name;
  report.stages[0].key.name = report.kernels[0].key.name = report.devices[0].rank = name;
  report.health.push_back(name);
  for (const size_t columns : {40u, 100u}) {
    for (const std::string& text :
         {ReportText(report, {columns, false, false}), ReportText(report, {columns, false, true}),
          ReportMarkdown(report)}) {
      EXPECT_EQ(text.find("##vso["), std::string::npos) << text;
      for (const std::string& line : LinesOf(text))
        EXPECT_FALSE(
            line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("::"))
            << line;
    }
  }
}

TEST(ReportTextTest, ThatThereIsNothingFitsTheTerminal) {
  Report report = SampleReport();
  for (const bool left : {true, false}) {
    report.findings[0].worth = false;
    if (!left) report.findings.clear();
    for (const size_t columns : {40u, 80u, 300u}) {
      const std::string text = ReportText(report, {columns, false, false});
      EXPECT_NE(text.find("nothing found whose"), std::string::npos) << text;
      for (const std::string& line : LinesOf(text)) EXPECT_LE(ColumnsOf(line), columns) << line;
    }
  }
}

TEST(ReportTextTest, AllRowsIfAsked) {
  Report report = SampleReport();
  for (int i = 0; i < 100; ++i) report.stages.push_back(report.stages[0]);
  EXPECT_LT(LinesOf(ReportText(report, {100, false, false})).size(), 60u);
  EXPECT_GT(LinesOf(ReportText(report, {100, false, true})).size(), 100u);
}

TEST(ReportTextTest, ColoursChangeNoText) {
  std::string coloured = ReportText(SampleReport(), {100, true, false});
  EXPECT_NE(coloured.find("\033[1m"), std::string::npos);
  for (const std::string code : {"\033[1m", "\033[2m", "\033[0m"}) {
    for (size_t at; (at = coloured.find(code)) != std::string::npos;)
      coloured.erase(at, code.size());
  }
  EXPECT_EQ(coloured, ReportText(SampleReport(), {100, false, false}));
}

TEST(ReportTextTest, AnEmptyReport) {
  EXPECT_EQ(ReportText({}, {100, false, false}),
            ": 0 ranks on 0 hosts, 0 ns, 0 events\n"
            "no GPU work was recorded, so nothing can be priced\n");
}

TEST(ReportWordsTest, NamesOfKernels) {
  EXPECT_EQ(KernelName("void at::native::(anonymous namespace)::f<a(b)>(int, g(c))"), "f<a(b)>");
  EXPECT_EQ(KernelName("(82 other kernels)"), "(82 other kernels)");
  EXPECT_EQ(KernelName("a)"), "a)");
  EXPECT_EQ(KernelName(")("), ")(");
}

}  // namespace
}  // namespace syncline
