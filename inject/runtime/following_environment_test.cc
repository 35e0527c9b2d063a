// SPDX-License-Identifier: Apache-2.0
// Tests of the environment that --follow-env makes.
#include "inject/runtime/following_environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "inject/runtime/lacking_environment.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

constexpr char kOurs[] = "/b/libsyncline.so";

// As a launcher starts it.
void Begin(const char* follow) {
  g_test_collectors[0].doors[0] = {"ONE_DOOR", "SYNCLINE_OLD_ONE"};
  clearenv();
  setenv("LD_PRELOAD", "/a/first.so:/b/libsyncline.so", 1);
  setenv("SYNCLINE_SOCKET", "/run/x", 1);
  setenv("SYNCLINE_FOLLOW_ENV", follow, 1);
  setenv("ONE_DOOR", kOurs, 1);
  setenv("HOME", "/home/x", 1);
  KeepEnvironment();
  clearenv();  // what was kept does not depend on it any more
}

class Block {
 public:
  explicit Block(std::vector<std::string> variables) : variables_(std::move(variables)) {
    for (std::string& text : variables_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  size_t Room() const { return RoomToFollow(pointers_.data(), variables_.size()); }
  std::vector<std::string> Followed() const {
    std::vector<char*> room(Room() / sizeof(char*) + 1);
    std::vector<std::string> texts;
    for (char* const* entry = Follow(pointers_.data(), variables_.size(), room.data());
         *entry != nullptr; ++entry)
      texts.emplace_back(*entry);
    return texts;
  }

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

using Texts = std::vector<std::string>;

TEST(FollowingEnvironment, AClearedOneGetsAllBackAndNothingElse) {
  InOwnProcess([] {
    Begin("1");
    EXPECT_EQ(
        Block({}).Followed(),
        (Texts{"SYNCLINE_SOCKET=/run/x", "SYNCLINE_FOLLOW_ENV=1", "ONE_DOOR=/b/libsyncline.so",
               "LD_PRELOAD=/b/libsyncline.so", "ASAN_OPTIONS=verify_asan_link_order=0"}));
    EXPECT_NE(RoomToFollow(nullptr, 0), 0u);
  });
}

TEST(FollowingEnvironment, WhatItHasStaysInFront) {
  InOwnProcess([] {
    Begin("1");
    const Texts own = {"A=b",
                       "LD_PRELOAD=/c/mine.so /c/too.so",
                       "ONE_DOOR=/c/tool.so",
                       "SYNCLINE_SOCKET=/run/y",
                       "ASAN_OPTIONS=detect_leaks=0",
                       "broken"};
    Texts wanted = own;
    wanted[1] += ":/b/libsyncline.so";
    wanted[4] += ":verify_asan_link_order=0";
    wanted.emplace_back("SYNCLINE_FOLLOW_ENV=1");
    EXPECT_EQ(Block(own).Followed(), wanted);
    const Texts empty = Block({"LD_PRELOAD=/b/libsyncline.so", "ONE_DOOR="}).Followed();
    EXPECT_EQ(empty[1], "ONE_DOOR=/b/libsyncline.so");
    const Texts preloaded = {"LD_PRELOAD=/d/libsyncline.so", "SYNCLINE_FOLLOW_ENV=1",
                             "SYNCLINE_SOCKET=/run/x"};
    wanted = preloaded;
    wanted.emplace_back("ONE_DOOR=/b/libsyncline.so");
    EXPECT_EQ(Block(preloaded).Followed(), wanted);
  });
}

TEST(FollowingEnvironment, TooManyOrTooLongVariablesAreLeftAlone) {
  InOwnProcess([] {
    Begin("1");
    EXPECT_NE(Block(Texts(1024, "A=b")).Room(), 0u);
    EXPECT_EQ(Block(Texts(1025, "A=b")).Room(), 0u);
    EXPECT_NE(Block({"LD_PRELOAD=" + std::string(3000, 'x')}).Room(), 0u);
    EXPECT_EQ(Block({"LD_PRELOAD=" + std::string(5000, 'x')}).Room(), 0u);
    const Block full(Texts(1024, "A=b"));
    EXPECT_EQ(full.Followed().size(), 1024u + 5);
  });
}

TEST(FollowingEnvironment, NothingIsMadeWhereTheOptionIsOff) {
  InOwnProcess([] {
    Begin("0");
    EXPECT_EQ(Block({}).Room(), 0u);
  });
}

}  // namespace
}  // namespace syncline
