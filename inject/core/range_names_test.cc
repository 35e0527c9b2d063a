// SPDX-License-Identifier: Apache-2.0
// Which ranges are stages, excluded ones and steps.
#include "inject/core/range_names.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace syncline::range_names_test {
namespace {

struct Lists {
  std::string stages, excluded, steps;
};

// Options are read once a process, so each list has one of its own: a child of this one, which has
// read none. The test fails as the child does.
void InChild(const Lists& lists, const std::function<void()>& body) {
  std::fflush(stdout);  // or the child prints it again
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("SYNCLINE_STAGES", lists.stages.c_str(), 1);
    setenv("SYNCLINE_EXCLUDE_STAGES", lists.excluded.c_str(), 1);
    setenv("SYNCLINE_STEP_RANGE", lists.steps.c_str(), 1);
    body();
    std::fflush(stdout);
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

bool LoadAll() {
  LoadStepNames();
  return LoadStageNames();
}

void WithNames(const Lists& lists, const std::function<void()>& body) {
  InChild(lists, [&] {
    EXPECT_TRUE(LoadAll());
    body();
  });
}

constexpr int kNone = 0;

TEST(RangeNames, BeforeTheyAreLoadedNoNameHasAMark) {
  InChild({"*", "*", "*"}, [] {
    EXPECT_FALSE(AnyRangeNames());
    EXPECT_FALSE(AnyStageNames());
    EXPECT_EQ(MarksOfName("forward"), kNone);
    EXPECT_EQ(MarksOfRange("forward", ""), kNone);
  });
}

TEST(RangeNames, WithoutPatternsNoNameHasAMark) {
  for (const char* empty : {"", ",", " , "}) {
    WithNames({empty, empty, ""}, [] {
      EXPECT_FALSE(AnyRangeNames());
      EXPECT_EQ(MarksOfName(""), kNone);
      EXPECT_EQ(MarksOfRange("", ""), kNone);
    });
  }
}

TEST(RangeNames, AnyOptionMakesThemLookedFor) {
  WithNames({"a", "", ""}, [] { EXPECT_TRUE(AnyRangeNames() && AnyStageNames()); });
  WithNames({"", "a", ""}, [] { EXPECT_TRUE(AnyRangeNames() && !AnyStageNames()); });
  WithNames({"", "", "a"}, [] { EXPECT_TRUE(AnyRangeNames() && !AnyStageNames()); });
}

TEST(RangeNames, ANameIsMatchedInEachDomain) {
  WithNames({"forward, backward", "", ""}, [] {
    for (const char* domain : {"", "torch", "@"}) {
      EXPECT_EQ(MarksOfRange("forward", domain), kMarkStage) << domain;
      EXPECT_EQ(MarksOfRange("backward", domain), kMarkStage) << domain;
      EXPECT_EQ(MarksOfRange("forward2", domain), kNone) << domain;
      EXPECT_EQ(MarksOfRange("", domain), kNone) << domain;
    }
    EXPECT_EQ(MarksOfName("backward"), kMarkStage);
    EXPECT_EQ(MarksOfName("Forward"), kNone);
  });
}

TEST(RangeNames, ADomainLimitsAPattern) {
  WithNames({"fw@torch,bw@", "", ""}, [] {
    EXPECT_EQ(MarksOfRange("fw", "torch"), kMarkStage);
    EXPECT_EQ(MarksOfRange("fw", "torch2"), kNone);
    EXPECT_EQ(MarksOfRange("fw", ""), kNone);
    EXPECT_EQ(MarksOfRange("bw", ""), kMarkStage) << "the default domain";
    EXPECT_EQ(MarksOfRange("bw", "torch"), kNone);
    EXPECT_EQ(MarksOfName("fw"), kMarkStage) << "in some domain";
    EXPECT_EQ(MarksOfName("bw"), kMarkStage);
    EXPECT_EQ(MarksOfName("fw@torch"), kNone);
  });
}

TEST(RangeNames, NamesAndDomainsAreGlobs) {
  WithNames({"layer ?:*@tor*", "", ""}, [] {
    EXPECT_EQ(MarksOfRange("layer 3: mlp", "torch"), kMarkStage);
    EXPECT_EQ(MarksOfRange("layer 3:", "tor"), kMarkStage);
    EXPECT_EQ(MarksOfRange("layer 30: mlp", "torch"), kNone);
    EXPECT_EQ(MarksOfRange("layer 3: mlp", "NCCL"), kNone);
    EXPECT_EQ(MarksOfName("layer 3: mlp"), kMarkStage);
  });
  WithNames({"*@torch", "", ""}, [] {
    EXPECT_EQ(MarksOfRange("", "torch"), kMarkStage);
    EXPECT_EQ(MarksOfRange("x", ""), kNone);
    EXPECT_EQ(MarksOfName("x"), kMarkStage);
  });
}

TEST(RangeNames, AnAtSignOfANameIsMatchedByAQuestionMark) {
  WithNames({"user?host,a@b@c", "", ""}, [] {
    EXPECT_EQ(MarksOfRange("user@host", ""), kMarkStage);
    EXPECT_EQ(MarksOfRange("a@b", "c"), kMarkStage) << "the last @ begins the domain";
    EXPECT_EQ(MarksOfRange("a", "b@c"), kNone);
  });
}

TEST(RangeNames, ExcludedWins) {
  WithNames({"*", "log*", ""}, [] {
    EXPECT_EQ(MarksOfRange("forward", ""), kMarkStage);
    EXPECT_EQ(MarksOfRange("log 3", ""), kMarkExcluded);
  });
}

TEST(RangeNames, WhatExcludesInOneDomainIsAStageInOthers) {
  WithNames({"x", "x@a", ""}, [] {
    EXPECT_EQ(MarksOfName("x"), kMarkStage | kMarkExcluded);
    EXPECT_EQ(MarksOfRange("x", "a"), kMarkExcluded);
    EXPECT_EQ(MarksOfRange("x", "b"), kMarkStage);
  });
}

TEST(RangeNames, AStepMayBeAStageToo) {
  WithNames({"step*", "step 3", "step ?"}, [] {
    EXPECT_EQ(MarksOfRange("step 1", ""), kMarkStep | kMarkStage);
    EXPECT_EQ(MarksOfRange("step 3", ""), kMarkStep | kMarkExcluded);
    EXPECT_EQ(MarksOfRange("step 10", ""), kMarkStage);
    EXPECT_EQ(MarksOfName("step 3"), kMarkStep | kMarkStage | kMarkExcluded);
  });
  WithNames({"", "", "a@b, step*"}, [] {  // one pattern, as readers take it
    EXPECT_EQ(MarksOfRange("a@b, step 1", "train"), kMarkStep);
    EXPECT_EQ(MarksOfRange("step 1", ""), kNone);
    EXPECT_EQ(MarksOfRange("a", "b"), kNone);
  });
}

std::string Numbered(uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i) list += "n" + std::to_string(i) + ",";
  return list;
}

TEST(RangeNames, AsManyPatternsAsThereIsRoomFor) {
  WithNames({Numbered(kMostPatterns), "", ""},
            [] { EXPECT_EQ(MarksOfName("n" + std::to_string(kMostPatterns - 1)), kMarkStage); });
}

TEST(RangeNames, MoreAreIgnoredAndThatIsTold) {
  const std::string many = Numbered(kMostPatterns + 1);
  for (const Lists& lists : {Lists{many, "x", "y"}, {"x", many, "y"}}) {
    InChild(lists, [] {
      EXPECT_FALSE(LoadAll());
      EXPECT_NE(MarksOfName("n0"), kNone);
      EXPECT_NE(MarksOfName("n" + std::to_string(kMostPatterns - 1)), kNone);
      EXPECT_EQ(MarksOfName("n" + std::to_string(kMostPatterns)), kNone);
      EXPECT_NE(MarksOfName("x"), kNone) << "the other options hold";
      EXPECT_NE(MarksOfName("y"), kNone);
    });
  }
}

TEST(RangeNames, AForksChildHasThem) {
  WithNames({"a", "", ""}, [] {
    setenv("SYNCLINE_STAGES", "b", 1);
    EXPECT_TRUE(LoadAll());
    EXPECT_EQ(MarksOfName("a"), kMarkStage);
    EXPECT_EQ(MarksOfName("b"), kNone);
  });
}

}  // namespace
}  // namespace syncline::range_names_test
