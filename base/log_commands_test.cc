// SPDX-License-Identifier: Apache-2.0
// What is run, and what only looks like it.
#include "base/log_commands.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LogCommandsTest, NoLineBeginsWithOne) {
  EXPECT_EQ(WithoutLogCommands("::operator()  1 ms\n"), "?:operator()  1 ms\n");
  EXPECT_EQ(WithoutLogCommands("a\n  ::error file=x::y\n\t::b"), "a\n  ?:error file=x::y\n\t?:b");
  EXPECT_EQ(WithoutLogCommands("\xc2\xa0\xe2\x80\x83::x"), "\xc2\xa0\xe2\x80\x83?:x");
  EXPECT_EQ(WithoutLogCommands("\xc2\xad::x"), "\xc2\xad?:x") << "a soft hyphen";
  EXPECT_EQ(WithoutLogCommands(":\xe2\x81\xa0:x::"), "?\xe2\x81\xa0:x::") << "a word joiner";
}

TEST(LogCommandsTest, NorHasOneInIt) {
  EXPECT_EQ(WithoutLogCommands("1 ms  ##[error]x"), "1 ms  ?#[error]x");
  EXPECT_EQ(WithoutLogCommands("at ##vso[task.x a=b]c ##VSO[d]"), "at ?#vso[task.x a=b]c ?#VSO[d]");
  EXPECT_EQ(WithoutLogCommands("###[x]"), "#?#[x]");
}

TEST(LogCommandsTest, OthersStayAsTheyAre) {
  for (const char* text : {"", "at::native::add", "1 ::x", "step #", "## [x]", "# [x]", ": :x",
                           "a::b\n", "##", "::", "\n:", "##vs", "\xff##"}) {
    const std::string wanted = std::string_view(text) == "::" ? "?:" : text;
    EXPECT_EQ(WithoutLogCommands(text), wanted);
  }
}

}  // namespace
}  // namespace syncline
