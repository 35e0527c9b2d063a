// SPDX-License-Identifier: Apache-2.0
// A finding reads the same wherever it is told.
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "report/words.h"
#include "writers/files/json_fields.h"
#include "writers/tables/html.h"
#include "writers/tables/report_csv.h"
#include "writers/tables/report_json.h"
#include "writers/tables/report_markdown.h"
#include "writers/tables/report_text.h"
#include "writers/tables/test_report.h"

namespace syncline {
namespace {

using testing::SampleFinding;
using testing::SampleReport;

// One of each way in which a gain and a place are told.
Report ReportOfAllKinds() {
  Report report = SampleReport();
  report.ranks[1].begin_ns = 1'000'000'000;
  ReportFinding work = SampleFinding();
  work.kind = "host_work";
  work.problem = "the GPU has nothing to do while the host does something else";
  work.wait_class = work.call = "";
  work.before = "train.py:18 main()";
  work.line = work.where = "train.py:20 main()";
  work.below = "data.py:7 batches()";
  work.statement = "loss.item()";
  work.rank = "2 ranks";
  ReportFinding waited = SampleFinding();
  waited.priced = false;
  waited.parts = {{"stream: syncCall", 20'000'000}, {"event: eventCall", 10'000'000}};
  ReportFinding left = SampleFinding();
  left.worth = false;
  left.gain_ns = 0;
  left.gain_percent = 0;
  left.assumption = "";
  left.advice = "leave it: the GPU has other work meanwhile";
  ReportFinding gains_nothing = SampleFinding();
  gains_nothing.gain_ns = 0;
  gains_nothing.gain_percent = 0;
  ReportFinding once = SampleFinding();
  once.priced = once.worth = false;
  ReportFinding lost = once;
  lost.lost = {77, 85, true};
  lost.stage = lost.advice = "";
  ReportFinding slow = SampleFinding();
  slow.kind = "slow_rank";
  slow.problem = "rank 3 takes 30.0 ms in `log` each time, the others 5.00 ms";
  slow.priced = false;
  slow.gain_ns = 0;
  slow.gain_percent = 0;
  slow.wait_class = slow.call = slow.assumption = "";
  slow.line = "";
  slow.where = slow.stage;
  slow.share = 0.15;
  report.findings = {SampleFinding(), work, waited, left, gains_nothing, once, lost, slow};
  for (size_t i = 0; i < report.findings.size(); ++i) report.findings[i].number = i + 1;
  report.findings[1].trace = "rank-1";
  report.findings[1].begin_ns = 1'234'567'891;
  return report;
}

void Replace(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
    text->replace(at, from.size(), to);
}

std::string WithoutTags(const std::string& html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  for (const auto& [entity, plain] : {std::pair{"&#39;", "'"}, std::pair{"&quot;", "\""}})
    Replace(entity, plain, &text);
  return text;
}

// What stands between `begin` and `end`, cut before each `part`, without what stands before the
// first one.
std::vector<std::string> PartsOf(const std::string& text, const char* begin, const char* end,
                                 const char* part) {
  const size_t from = text.find(begin);
  const std::string all = text.substr(from, text.find(end, from) - from);
  std::vector<std::string> parts;
  for (size_t at = all.find(part); at != std::string::npos;) {
    const size_t next = all.find(part, at + 1);
    parts.push_back(all.substr(at, next - at));
    at = next;
  }
  return parts;
}

void ExpectTold(const ReportFinding& finding, const std::string& told, const char* where) {
  for (const std::string& words :
       {finding.problem, PlaceText(finding), GainText(finding), finding.rank, AdviceText(finding)})
    EXPECT_NE(told.find(words), std::string::npos) << where << ": " << words << "\n" << told;
}

TEST(OneTruthTest, InTextAndInMarkdown) {
  const Report report = ReportOfAllKinds();
  std::string markdown = ReportMarkdown(report);
  Replace("\\\n   ", " ", &markdown);
  Replace("\\", "", &markdown);
  Replace("**", "", &markdown);
  for (const bool all : {false, true}) {
    std::istringstream text(ReportText(report, {1000, false, all}));
    std::string line, advice;
    std::getline(text, line);
    for (const ReportFinding& finding : report.findings) {
      if (!all && finding.number > 4) break;  // there is no room for more
      std::getline(text, line);
      if (!AdviceText(finding).empty()) std::getline(text, advice);
      EXPECT_TRUE(line.starts_with(Text(finding.number, "  "))) << line;
      ExpectTold(finding, line + advice, "text");
    }
  }
  std::istringstream lines(markdown.substr(markdown.find("\n1. ") + 1));
  std::string line;
  for (const ReportFinding& finding : report.findings) {
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(Text(finding.number, ". "))) << line;
    ExpectTold(finding, line, "summary.md");
  }
}

TEST(OneTruthTest, InCardsAndInTheTableOfThePage) {
  const Report report = ReportOfAllKinds();
  const std::string page = ReportHtml(report);
  const auto cards = PartsOf(page, "<ol class=\"cards\">", "</ol>", "<li class=\"card");
  const auto rows = PartsOf(page, "id=\"waits\"", "</section>", "<tr><td");
  ASSERT_EQ(cards.size(), report.findings.size());
  ASSERT_EQ(rows.size(), report.findings.size());
  for (size_t i = 0; i < report.findings.size(); ++i) {
    ExpectTold(report.findings[i], WithoutTags(cards[i]), "card");
    ExpectTold(report.findings[i], WithoutTags(rows[i]), "table");
  }
  EXPECT_NE(page.find(report.directory + " --rank 1 --at 0.234567s<"), std::string::npos);
}

TEST(OneTruthTest, InJsonAndCsv) {
  const Report report = ReportOfAllKinds();
  const Json rows = ParseJson(ReportJson(report))["findings"];
  std::istringstream csv(ReportCsv(report));
  std::string line;
  std::getline(csv, line);
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ReportFinding& finding = report.findings[i];
    EXPECT_EQ(rows[i]["number"], finding.number);
    EXPECT_EQ(rows[i]["problem"], finding.problem);
    EXPECT_EQ(rows[i]["place"], PlaceText(finding));
    EXPECT_EQ(rows[i]["gain"], GainText(finding));
    EXPECT_EQ(rows[i]["rank"], finding.rank);
    EXPECT_EQ(rows[i]["advice"], finding.advice);
    EXPECT_EQ(rows[i]["assumption"], finding.assumption);
    std::getline(csv, line);
    for (const std::string& words :
         {finding.problem, PlaceText(finding), GainText(finding), finding.rank, finding.advice,
          finding.assumption, PartsText(finding)})
      EXPECT_NE(line.find(words), std::string::npos) << words << "\n" << line;
  }
  EXPECT_EQ(rows[7]["gain"], "longer 30.0 ms (15 %)");
  EXPECT_EQ(rows[7]["share_percent"], 15.0);
  EXPECT_EQ(rows[1]["before"], "train.py:18 main()");
  EXPECT_EQ(rows[1]["after"], "train.py:20 main()");
  EXPECT_EQ(rows[0]["after"], "") << "no work of the host";
  EXPECT_EQ(rows[1]["view"], "--rank 1 --at 0.234567s");
  EXPECT_EQ(rows[0]["view"], "");
  EXPECT_EQ(rows[2]["parts"].dump(), R"([{"what":"stream: syncCall","blocked_ms":20.0},)"
                                     R"({"what":"event: eventCall","blocked_ms":10.0}])");
}

TEST(OneTruthTest, NoTimeIsNothing) {
  const Report report = ReportOfAllKinds();
  for (const std::string& told : {ReportText(report, {1000, false, true}), ReportMarkdown(report),
                                  ReportHtml(report), ReportJson(report), ReportCsv(report)}) {
    EXPECT_EQ(told.find("-0 ns"), std::string::npos) << told;
    EXPECT_EQ(told.find("\xe2\x88\x92"
                        "0 ns"),
              std::string::npos)
        << told;
  }
}

}  // namespace
}  // namespace syncline
