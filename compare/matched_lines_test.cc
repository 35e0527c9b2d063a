// SPDX-License-Identifier: Apache-2.0
// Lines that stay, move, change and swap.
#include "compare/matched_lines.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Map = std::map<std::string, std::string>;

TEST(MatchedLines, StayWhereTheyAre) {
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"x.item()", {}}}}, {{"a.py:1 f()", {"x.item()", {}}}}),
            (Map{{"a.py:1 f()", "a.py:1 f()"}}));
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"", {}}}}, {{"a.py:1 f()", {"x.item()", {}}}}),
            (Map{{"a.py:1 f()", "a.py:1 f()"}}));
}

TEST(MatchedLines, MoveWithTheirText) {
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"x.item()", {}}}, {"a.py:2 f()", {"y.item()", {}}}},
                         {{"a.py:2 f()", {"x.item()", {}}}, {"a.py:3 f()", {"y.item()", {}}}}),
            (Map{{"a.py:2 f()", "a.py:1 f()"}, {"a.py:3 f()", "a.py:2 f()"}}));
}

TEST(MatchedLines, AreOthersWithAnotherText) {
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"x.item()", {}}}}, {{"a.py:1 f()", {"y.cpu()", {}}}}),
            Map{});
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"x.item()", {}}}}, {{"a.py:9 g()", {"x.item()", {}}}}),
            Map{});
}

TEST(MatchedLines, MoveInTheirOrderWhereNoTextIsKnown) {
  EXPECT_EQ(MatchedLines({{"a.cu:9 f()", {"", {}}}, {"a.cu:10 f()", {"", {}}}},
                         {{"a.cu:20 f()", {"", {}}}, {"a.cu:19 f()", {"", {}}}}),
            (Map{{"a.cu:19 f()", "a.cu:9 f()"}, {"a.cu:20 f()", "a.cu:10 f()"}}));
  EXPECT_EQ(MatchedLines({{"a.cu:9 f()", {"", {}}}},
                         {{"a.cu:20 f()", {"", {}}}, {"a.cu:19 f()", {"", {}}}}),
            Map{});
}

TEST(MatchedLines, AreOthersIfTheyDoSomethingElse) {
  EXPECT_EQ(MatchedLines({{"a.cu:9 f()", {"", {"stream: wait"}}}},
                         {{"a.cu:20 f()", {"", {"host busy"}}}}),
            Map{});
  EXPECT_EQ(MatchedLines({{"a.cu:9 f()", {"", {"stream: wait"}}}},
                         {{"a.cu:20 f()", {"", {"stream: wait"}}}}),
            (Map{{"a.cu:20 f()", "a.cu:9 f()"}}));
}

}  // namespace
}  // namespace syncline
