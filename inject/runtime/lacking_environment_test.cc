// SPDX-License-Identifier: Apache-2.0
// Tests of what an environment lacks.
#include "inject/runtime/lacking_environment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

constexpr char kPreload[] = "LD_PRELOAD=/a/own.so:/b/$PLATFORM/libsyncline.so";
constexpr char kSocket[] = "SYNCLINE_SOCKET=/run/x";
constexpr char kDoor[] = "ONE_DOOR=/b/libsyncline.so";

class LackingEnvironment : public testing::Test {
 protected:
  LackingEnvironment() { g_test_collectors[0].doors[0] = {"ONE_DOOR", "SYNCLINE_OLD_ONE"}; }
  ~LackingEnvironment() override { g_test_collectors[0].doors[0] = {}; }

  static GivenEnvironment Look(const std::vector<std::string>& variables) {
    std::vector<char*> environment;
    for (const std::string& text : variables)
      environment.push_back(const_cast<char*>(text.c_str()));
    environment.push_back(nullptr);
    return LookAtEnvironment(environment.data());
  }
  uint32_t door() const { return uint32_t{1} << g_test_collectors[0].source; }
};

TEST_F(LackingEnvironment, WhatTheLauncherSetLacksNothing) {
  EXPECT_FALSE(Look({"A=b", kPreload, kSocket, kDoor}).lack.any());
  EXPECT_FALSE(Look({"LD_PRELOAD=/other/libsyncline.so /a/own.so", kSocket, kDoor}).lack.any())
      << "another launcher's copy, and none of the program's own";
}

TEST_F(LackingEnvironment, EachVariableThatIsGoneIsTold) {
  const Lack all = {kLostPreload | kLostSocket, door(), 0, 0, 0};
  EXPECT_EQ(LookAtEnvironment(nullptr).lack, all);
  EXPECT_EQ(Look({}).lack, all);
  EXPECT_EQ(Look({"LD_PRELOAD=", "SYNCLINE_SOCKET=", "ONE_DOOR=", "ONE_DOOR"}).lack, all);
  EXPECT_EQ(Look({"LD_PRELOAD=/a/own.so", kSocket, kDoor}).lack, (Lack{kLostPreload, 0, 0, 0, 0}));
  EXPECT_EQ(Look({kPreload, kDoor}).lack, (Lack{kLostSocket, 0, 0, 0, 0}));
  EXPECT_EQ(Look({kPreload, kSocket, "ONE_DOOR=/a/other.so"}).lack,
            (Lack{0, door(), 0, 0, door()}));
  EXPECT_EQ(Look({kPreload, kSocket, "XONE_DOOR=/b/libsyncline.so"}).lack,
            (Lack{0, door(), 0, 0, 0}));
}

TEST_F(LackingEnvironment, AnEmptyNameOpensWhatIsPreloadedWhereItIsGivenToDlopen) {
  EXPECT_EQ(Look({kPreload, kSocket, "ONE_DOOR="}).lack, (Lack{0, door(), 0, 0, 0}));
  g_test_collectors[0].doors[0].is_dlopened = true;
  EXPECT_FALSE(Look({kPreload, kSocket, "ONE_DOOR="}).lack.any());
  EXPECT_EQ(Look({kPreload, kSocket}).lack, (Lack{0, door(), 0, 0, 0})) << "nobody opens it";
  EXPECT_EQ(Look({kSocket, "ONE_DOOR="}).lack, (Lack{kLostPreload, door(), 0, 0, 0}));
}

TEST_F(LackingEnvironment, WhoIsSwitchedOffIsKnown) {
  EXPECT_TRUE(Look({"SYNCLINE_DISABLE=1"}).disabled);
  EXPECT_FALSE(Look({"SYNCLINE_DISABLE=0"}).disabled);
  EXPECT_FALSE(Look({"SYNCLINE_DISABLE=perhaps"}).disabled);
}

TEST_F(LackingEnvironment, OfTooManyVariablesNothingIsSaid) {
  std::vector<std::string> many(kMostVariables, "A=b");
  EXPECT_TRUE(Look(many).lack.any());
  EXPECT_EQ(Look(many).variables, kMostVariables);
  many.emplace_back("A=b");
  EXPECT_FALSE(Look(many).lack.any());
  EXPECT_GT(Look(many).variables, kMostVariables);
}

}  // namespace
}  // namespace syncline
