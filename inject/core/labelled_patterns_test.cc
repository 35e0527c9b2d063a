// SPDX-License-Identifier: Apache-2.0
// Patterns with labels, right ones and wrong ones.
#include "inject/core/labelled_patterns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace syncline {
namespace {

std::vector<std::string> All(std::string_view list) {
  std::vector<std::string> found;
  LabelledPattern one;
  while (NextLabelledPattern(&list, &one)) {
    std::string text(one.pattern);
    while (!one.labels.empty()) {
      text += " [";
      for (std::string_view label = NextLabel(&one.labels); !label.empty();)
        text.append(" ").append(NextPart(&label));
      text += " ]";
    }
    found.push_back(text);
  }
  return found;
}

TEST(LabelledPatternsTest, CommasSeparatePatternsAndWithinParenthesesLabels) {
  EXPECT_EQ(All("a.b"), std::vector<std::string>({"a.b"}));
  EXPECT_EQ(All(" a.* , ,b(x),c"), std::vector<std::string>({"a.*", "b [ x ]", "c"}));
  EXPECT_EQ(All("serve.Engine.step( request_id ,batch.size.max ), *.decode"),
            std::vector<std::string>(
                {"serve.Engine.step [ request_id ] [ batch size max ]", "*.decode"}));
  EXPECT_EQ(All("m.f.<locals>.g(größe)"), std::vector<std::string>({"m.f.<locals>.g [ größe ]"}));
  EXPECT_EQ(All(""), std::vector<std::string>());
}

TEST(LabelledPatternsTest, GoodListsHaveNoError) {
  for (const char* list : {"", "a", "a,b", "a(x)", "a(x,y.z) , b(_q9)", "*(größe)"})
    EXPECT_EQ(FindLabelError(list).why, nullptr) << list;
}

TEST(LabelledPatternsTest, AnErrorSaysWhereItIs) {
  const struct {
    const char* list;
    size_t at;
  } kBad[] = {{"a(x", 1},
              {"a)", 1},
              {"b,(x)", 2},
              {"a(x)y", 4},
              {"a()", 2},
              {"a(x,)", 4},
              {"a(x, ,y)", 4},
              {"a(x y)", 2},
              {"a(1x)", 2},
              {"a(x.)", 2},
              {"a(.x)", 2},
              {"a(x..y)", 2},
              {"a(b(x))", 3},
              {"a(x-y)", 2},
              {"a(x)b(y)", 4},
              {"ok(x),a(x", 7},
              {"a(x)), b", 4},
              {"a(x[0])", 2},
              {"a(b,c,d,e,f,g,h,i,j)", 18}};
  for (const auto& [list, at] : kBad) {
    const LabelError error = FindLabelError(list);
    ASSERT_NE(error.why, nullptr) << list;
    EXPECT_EQ(error.at, at) << list << ": " << error.why;
  }
  EXPECT_NE(FindLabelError("a(" + std::string(64, 'x') + ")").why, nullptr);
  EXPECT_EQ(FindLabelError("a(" + std::string(63, 'x') + ")").why, nullptr);
}

// Whatever the text, each function ends.
TEST(LabelledPatternsTest, AnyTextIsReadToItsEnd) {
  const char kLetters[] = "ab(),. *\t1";
  uint64_t random = 7;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < round % 12; ++i) {
      random = random * 6364136223846793005ull + 1442695040888963407ull;
      text += kLetters[(random >> 33) % (sizeof(kLetters) - 1)];
    }
    const LabelError error = FindLabelError(text);
    ASSERT_TRUE(error.why == nullptr || error.at <= text.size()) << text;
    All(text);
  }
}

}  // namespace
}  // namespace syncline
