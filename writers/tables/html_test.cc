// SPDX-License-Identifier: Apache-2.0
// The page: what it may do, what it says, how large it is, and that no name breaks out of its text.
#include "writers/tables/html.h"

#include <gtest/gtest.h>

#include "writers/tables/page_assets.h"
#include "writers/testing/made_up_report.h"

namespace syncline {
namespace {

size_t Count(const std::string& page, std::string_view text) {
  size_t count = 0;
  for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1)) ++count;
  return count;
}

TEST(ReportHtmlTest, ThePolicyNamesTheStyleAndTheScript) {
  const std::string page = ReportHtml(MadeUpReport({}));
  EXPECT_EQ(kReportJsHash.size(), 44u);
  EXPECT_EQ(
      Count(page, "content=\"default-src 'none'; style-src 'sha256-" + std::string(kReportCssHash) +
                      "'; script-src 'sha256-" + std::string(kReportJsHash) +
                      "'; base-uri 'none'; form-action 'none'\""),
      1u);
  EXPECT_EQ(Count(page, "<script>" + std::string(kReportJs) + "</script>"), 1u);
  EXPECT_EQ(Count(page, "<style>" + std::string(kReportCss) + "</style>"), 1u);
}

TEST(ReportHtmlTest, NothingIsLoaded) {
  const std::string page = ReportHtml(MadeUpReport({}));
  for (const char* text :
       {"http:", "https:", "src=", "url(", "@import", " style=", " on", "fetch("})
    EXPECT_EQ(Count(page, std::string(text) == " on" ? " onclick=" : text), 0u) << text;
}

TEST(ReportHtmlTest, WhatToDoIsSaid) {
  const std::string page = ReportHtml(MadeUpReport({}));
  EXPECT_EQ(Count(page, "<li class=\"card"), 12u);
  EXPECT_EQ(Count(page,
                  "<code>syncline view syncline-out/train-20261125T035954Z --rank 0 --at "
                  "1.234567s</code>"),
            1u);
  EXPECT_EQ(Count(page, "<b>-1.31 s</b>"), 1u);
  EXPECT_GE(Count(page, "Simulated"), 1u);
  EXPECT_EQ(Count(page, "12 records were lost: see"), 1u);
  EXPECT_EQ(Count(page, "<tbody"), Count(page, "</tbody>"));
}

TEST(ReportHtmlTest, HostileNamesStayText) {
  MadeUpRun run;
  const std::string plain = ReportHtml(MadeUpReport(run));
  run.name_suffix = HostileName();
  const std::string page = ReportHtml(MadeUpReport(run));
  for (const char* text : {"<script", "</script", "<img", "<!--", "<td", "<li", "</td>", "\"}"})
    EXPECT_EQ(Count(page, text), Count(plain, text)) << text;
  for (const char* text : {"\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xff", "\x1b", "\r"})
    EXPECT_EQ(Count(page, text), 0u);
  EXPECT_EQ(page.find('\0'), std::string::npos);
  run.name_suffix = std::string(100'000, 'x');
  EXPECT_LT(ReportHtml(MadeUpReport(run)).size(), 2'000'000u);
}

TEST(ReportHtmlTest, LargeRunsMakePagesBelowFiveMegabytes) {
  MadeUpRun run;
  run.ranks = 1000;
  run.steps = 10000;
  run.kernels = 3000;
  EXPECT_LT(ReportHtml(MadeUpReport(run)).size(), 5'000'000u);
}

TEST(ReportHtmlTest, AnEmptyReportIsAPage) {
  const std::string page = ReportHtml({});
  EXPECT_EQ(Count(page, "No GPU work was recorded, so nothing can be priced."), 1u);
  EXPECT_EQ(Count(page, "<canvas"), 0u);
  EXPECT_EQ(Count(page, "No record was lost."), 1u);
}

}  // namespace
}  // namespace syncline
