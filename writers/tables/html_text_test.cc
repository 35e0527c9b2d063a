// SPDX-License-Identifier: Apache-2.0
// Names of hostile programs as text of a page.
#include "writers/tables/html_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(HtmlTextTest, MarkupIsText) {
  EXPECT_EQ(HtmlText("</script><b a='1' c=\"2\">&amp;"),
            "&lt;/script&gt;&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(ScriptString("</script>\"\\'&"),
            "\"\\u003c/script\\u003e\\u0022\\u005c\\u0027\\u0026\"");
}

TEST(HtmlTextTest, WhatMisleadsOrIsInvalidIsReplaced) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(CleanText("a\nb\tc\xe2\x80\xa8"
                      "d\xe2\x80\xa9"),
            "a b c d ");
  EXPECT_EQ(CleanText("\xe2\x80\xae"
                      "gnp.exe"),
            bad + "gnp.exe");
  EXPECT_EQ(CleanText("\xe2\x81\xa6|\xe2\x80\x8b|\xef\xbb\xbf"), bad + "|" + bad + "|" + bad);
  EXPECT_EQ(CleanText("\x1b[31m\x7f\xc2\x9b"), bad + "[31m" + bad + bad);
  EXPECT_EQ(CleanText(std::string_view("\0x", 2)), bad + "x");
  EXPECT_EQ(CleanText("\xff\xc0\xaf"), bad + bad + bad) << "overlong";
  EXPECT_EQ(CleanText("\xed\xa0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(CleanText("\xf4\x90\x80\x80"), bad + bad + bad + bad) << "beyond U+10FFFF";
  EXPECT_EQ(CleanText("\xe2\x82"), bad + bad) << "cut";
  EXPECT_EQ(CleanText("M\xc3\xbc\xf0\x9f\x98\x80"), "M\xc3\xbc\xf0\x9f\x98\x80");
}

TEST(HtmlTextTest, LongTextsAreCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\xc3\xbc";
  EXPECT_EQ(CleanText(text, 9), "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xe2\x80\xa6");
  EXPECT_LE(CleanText(text).size(), kMaxHtmlText + 3);
}

TEST(HtmlTextTest, Numbers) {
  EXPECT_EQ(HtmlMoment(1'795'665'594'000'000'000), "2026-11-26 03:59:54 UTC");
}

TEST(HtmlTextTest, WordsOfAShell) {
  EXPECT_EQ(ShellWord("syncline-out/train"), "syncline-out/train");
  EXPECT_EQ(ShellWord("my run's"), "'my run'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace syncline
