// SPDX-License-Identifier: Apache-2.0
// Tests of patterns for names.
#include "inject/core/glob.h"

#include <gtest/gtest.h>

#include <string>

#include "inject/core/text.h"

namespace syncline {
namespace {

TEST(Glob, FitsTheWholeText) {
  EXPECT_TRUE(MatchesGlob("", ""));
  EXPECT_FALSE(MatchesGlob("", "a"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("step", "step"));
  EXPECT_FALSE(MatchesGlob("step", "steps"));
  EXPECT_FALSE(MatchesGlob("steps", "step"));
  EXPECT_TRUE(MatchesGlob("step*", "step 12"));
  EXPECT_TRUE(MatchesGlob("*step", "warm step"));
  EXPECT_FALSE(MatchesGlob("*step", "step 1"));
  EXPECT_TRUE(MatchesGlob("s?ep", "step"));
  EXPECT_FALSE(MatchesGlob("s?ep", "stepless"));
  EXPECT_FALSE(MatchesGlob("s?ep", "sep"));
}

TEST(Glob, GoesBackToTheLastStar) {
  EXPECT_TRUE(MatchesGlob("*ab*abc", "xababxabc"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "abbbc"));
  EXPECT_FALSE(MatchesGlob("a*b*c", "abbb"));
  EXPECT_TRUE(MatchesGlob("**?", "x"));
  EXPECT_FALSE(MatchesGlob("*?*?", "x"));
}

TEST(Glob, ManyStarsTakeNoLongTime) {
  const std::string text(1000, 'a');
  std::string pattern;
  for (int i = 0; i < 300; ++i) pattern += "a*";
  EXPECT_TRUE(MatchesGlob(pattern, text));
  EXPECT_FALSE(MatchesGlob(pattern + "b", text));
}

TEST(Glob, OneOfAListFits) {
  EXPECT_TRUE(IsMatched("python*, solver", "solver"));
  EXPECT_TRUE(IsMatched("python*, solver", "python3.11"));
  EXPECT_FALSE(IsMatched("python*, solver", "sh"));
  EXPECT_FALSE(IsMatched("", "sh"));
}

}  // namespace
}  // namespace syncline
