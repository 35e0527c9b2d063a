// SPDX-License-Identifier: Apache-2.0
// Names from anybody on somebody's terminal.
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace syncline {
namespace {

TEST(TextTest, NothingControlsATerminal) {
  EXPECT_EQ(PrintableText("a\033[31mb\tc\n\x7f"), "a?[31mb?c??");
  EXPECT_EQ(PrintableText("\xc2\x9b"
                          "31m"),
            "?31m")
      << "a control of eight bits";
  EXPECT_EQ(PrintableText("a\xe2\x80\xaegpj.exe"), "a?gpj.exe") << "from right to left";
  EXPECT_EQ(PrintableText("\xffok\xe2\x82"), "?ok??") << "no UTF-8";
  EXPECT_EQ(PrintableText("\xc0\x9b\xed\xa0\x80"), "?????") << "too long, and half a pair";
  EXPECT_EQ(PrintableText("Gr\xc3\xb6\xc3\x9f"
                          "e \xe6\xad\xa5"),
            "Gr\xc3\xb6\xc3\x9f"
            "e \xe6\xad\xa5");
}

TEST(TextTest, ColumnsAreThoseOfATerminal) {
  EXPECT_EQ(ColumnsOf("abc"), 3u);
  EXPECT_EQ(ColumnsOf("\xe6\xad\xa5\xe6\xad\xa5"), 4u);
  EXPECT_EQ(ColumnsOf("e\xcc\x81"), 1u) << "an accent of its own";
}

TEST(TextTest, ShortenedAtACharacter) {
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(Shortened("\xe6\xad\xa5\xe6\xad\xa5\xe6\xad\xa5\xe6\xad\xa5", 6), "\xe6\xad\xa5...");
  EXPECT_EQ(Shortened("abcdef", 2), "..");
  EXPECT_EQ(Shortened("abcdef", 0), "");
}

TEST(TextTest, CountedThings) {
  EXPECT_EQ(Counted(1, "launch"), "1 launch");
  EXPECT_EQ(Counted(2, "launch"), "2 launches");
  EXPECT_EQ(Counted(1200, "process"), "1,200 processes");
  EXPECT_EQ(Counted(0, "line"), "0 lines");
}

}  // namespace
}  // namespace syncline
