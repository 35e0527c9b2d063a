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
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"x.item()", {}}}}, {{"b.py:9 g()", {"x.cpu()", {}}}}),
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

TEST(MatchedLines, AreKnownWhenTheyWereEdited) {
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"log.append(x.item())", {"sync"}}}},
                         {{"a.py:1 f()", {"log.append(float(x.item()))", {"sync"}}}}),
            (Map{{"a.py:1 f()", "a.py:1 f()"}}));
  EXPECT_EQ(MatchedLines({{"a.py:1 f()", {"log.append(x.item())", {"sync"}}}},
                         {{"a.py:3 f()", {"torch.cuda.synchronize()", {"sync"}}}}),
            Map{});
}

TEST(MatchedLines, AreKnownInOtherFunctionsAndFiles) {
  const Map same = {{"new.py:9 g()", "old.py:1 f()"}};
  EXPECT_EQ(
      MatchedLines({{"old.py:1 f()", {"x.item()", {}}}}, {{"new.py:9 g()", {"x.item()", {}}}}),
      same);
  // One line above moves all: the old number of one is that of another now.
  EXPECT_EQ(MatchedLines({{"a.py:37 f()", {"x.item()", {}}}, {"a.py:38 f()", {"print(x)", {}}}},
                         {{"a.py:38 f()", {"x.item()", {}}}, {"a.py:39 f()", {"print(x)", {}}}}),
            (Map{{"a.py:38 f()", "a.py:37 f()"}, {"a.py:39 f()", "a.py:38 f()"}}));
  EXPECT_EQ(MatchedLines({{"a.py:9 f(), in lib.py:5 g()", {"x()", {}}}},
                         {{"a.py:11 f(), in lib.py:6 g()", {"x()", {}}}}),
            (Map{{"a.py:11 f(), in lib.py:6 g()", "a.py:9 f(), in lib.py:5 g()"}}));
}

TEST(MatchedLines, AreFollowedInCpp) {
  EXPECT_EQ(MatchedLines({{"a.cu:9 ns::F::operator()", {"", {"stream: wait"}}}},
                         {{"a.cu:20 ns::F::operator()", {"", {"stream: wait"}}}}),
            (Map{{"a.cu:20 ns::F::operator()", "a.cu:9 ns::F::operator()"}}));
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
