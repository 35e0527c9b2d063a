// SPDX-License-Identifier: Apache-2.0
// Frames of made-up interpreters, whole, cut and not as they should be.
#include "collectors/stacks/python_walk.h"

#include <gtest/gtest.h>

#include "collectors/stacks/fake_python.h"

namespace syncline::stacks {
namespace {

constexpr uint16_t kVersions[] = {0x308, 0x309, 0x30a, 0x30b, 0x30c, 0x30d};
constexpr uint8_t kOwnedByC = 3;

using Frames = std::vector<std::pair<const char*, int32_t>>;

Frames Walk(const FakePython& fake, Walked wanted, size_t most = 8) {
  LiveFrame frames[16];
  size_t count = 99;
  uint64_t key;
  EXPECT_EQ(WalkPython(fake.python, frames, most, &count, &key), wanted);
  Frames found;
  for (size_t i = 0; i < count; ++i) found.emplace_back(frames[i].code, frames[i].instruction);
  return found;
}

TEST(PythonLayouts, AreOfKnownVersionsOnly) {
  for (const uint16_t version : kVersions) {
    ASSERT_NE(LayoutOfPython(version), nullptr);
    EXPECT_EQ(LayoutOfPython(version)->python, version);
  }
  for (const uint16_t version : std::initializer_list<uint16_t>{0, 0x207, 0x307, 0x30e, 0x400})
    EXPECT_EQ(LayoutOfPython(version), nullptr) << version;
}

class PythonWalk : public ::testing::TestWithParam<uint16_t> {
 protected:
  FakePython fake{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Versions, PythonWalk, ::testing::ValuesIn(kVersions));

TEST_P(PythonWalk, TheInnermostFrameComesFirst) {
  char* outer = fake.Code("a.py", "<module>", 1, "");
  char* inner = fake.Code("a.py", "f", 2, "");
  fake.Call(outer, 40);
  fake.Call(inner, 6);
  fake.Call(inner, 0);
  EXPECT_EQ(Walk(fake, Walked::kWhole), (Frames{{inner, 0}, {inner, 6}, {outer, 40}}));
  EXPECT_EQ(Walk(fake, Walked::kWhole, 3), (Frames{{inner, 0}, {inner, 6}, {outer, 40}}));
  EXPECT_EQ(Walk(fake, Walked::kCut, 2), (Frames{{inner, 0}, {inner, 6}}));
}

TEST_P(PythonWalk, AFrameThatHasNotBegunIsBeforeItsFirstInstruction) {
  char* code = fake.Code("a.py", "f", 2, "");
  fake.Call(code, -2);
  const Frames frames = Walk(fake, Walked::kWhole);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_LT(frames[0].second, 0);
}

TEST_P(PythonWalk, NothingIsFoundWhereNothingRuns) {
  EXPECT_EQ(Walk(fake, Walked::kWhole), Frames{});
  fake.Call(fake.Code("a.py", "f", 2, ""), 0);
  g_fake_finalizing = 1;
  EXPECT_EQ(Walk(fake, Walked::kWhole), Frames{}) << "the interpreter ends";
  g_fake_finalizing = 0;
  g_fake_state = nullptr;
  EXPECT_EQ(Walk(fake, Walked::kWhole), Frames{}) << "a thread that Python does not know";
}

TEST_P(PythonWalk, WithoutAWordOfItsEndItIsRunning) {
  char* code = fake.Code("a.py", "f", 2, "");
  fake.Call(code, 4);
  fake.python.is_finalizing = nullptr;
  EXPECT_EQ(Walk(fake, Walked::kWhole), (Frames{{code, 4}}));
}

TEST_P(PythonWalk, AStateOfAnotherThreadIsNotRead) {
  fake.Call(fake.Code("a.py", "f", 2, ""), 0);
  FakePython::Put(fake.state, fake.python.layout.state_thread, pthread_self() + 1);
  EXPECT_EQ(Walk(fake, Walked::kOther), Frames{});
}

// 3.12 and later have frames without code of Python between others, which are none of Python's.
TEST_P(PythonWalk, WhatIsNotCodeIsWrongOrAnotherKindOfFrame) {
  const bool has_others = fake.python.layout.shows_c();
  const Walked wanted = has_others ? Walked::kWhole : Walked::kWrong;
  char* code = fake.Code("a.py", "f", 2, "");
  fake.Call(code, 4);
  fake.Call(fake.Object(fake.python.str_type), 0);
  fake.Call(code, 8);
  const Frames frames = Walk(fake, wanted);
  if (has_others) {
    EXPECT_EQ(frames, (Frames{{code, 8}, {code, 4}}));
  }
  FakePython::Put(fake.innermost, fake.python.layout.frame_code, static_cast<char*>(nullptr));
  EXPECT_EQ(Walk(fake, wanted).size(), has_others ? 1u : 0u) << "no code at all";
}

class FramesOfC : public PythonWalk {};
INSTANTIATE_TEST_SUITE_P(Versions, FramesOfC, ::testing::Values(0x30c, 0x30d));

TEST_P(FramesOfC, AreLeftOut) {
  const int16_t owner = fake.python.layout.frame_owner;
  char* code = fake.Code("a.py", "f", 2, "");
  fake.Call(code, 4);
  FakePython::Put(fake.Call(code, 6), owner, kOwnedByC);
  fake.Call(code, 8);
  FakePython::Put(fake.Call(code, 10), owner, kOwnedByC);
  EXPECT_EQ(Walk(fake, Walked::kWhole), (Frames{{code, 8}, {code, 4}}));
  EXPECT_EQ(Walk(fake, Walked::kCut, 1), (Frames{{code, 8}}));
  FakePython::Put(fake.innermost, fake.python.layout.frame_previous, fake.innermost);
  EXPECT_EQ(Walk(fake, Walked::kWrong), Frames{}) << "a chain without end";
}

TEST_P(PythonWalk, AChainOfFramesWithoutEndIsCut) {
  char* code = fake.Code("a.py", "f", 2, "");
  fake.Call(code, 4);
  FakePython::Put(fake.innermost, fake.python.layout.frame_previous, fake.innermost);
  EXPECT_EQ(Walk(fake, Walked::kCut).size(), 8u);
}

uint64_t KeyOf(const FakePython& fake) {
  LiveFrame frames[16];
  size_t count;
  uint64_t key;
  EXPECT_EQ(WalkPython(fake.python, frames, 16, &count, &key), Walked::kWhole);
  return key;
}

TEST_P(PythonWalk, TheKeyStandsForOrderPlaceAndCode) {
  const auto key_of = [&](std::initializer_list<std::pair<char*, int64_t>> calls) {
    fake.Enter(nullptr);
    for (const auto& [code, bytes] : calls) fake.Call(code, bytes);
    return KeyOf(fake);
  };
  char* a = fake.Code("a.py", "f", 2, "");
  char* b = fake.Code("a.py", "g", 8, "");
  const uint64_t key = key_of({{a, 4}, {b, 6}});
  EXPECT_EQ(key_of({{a, 4}, {b, 6}}), key) << "other frames, the same stack";
  EXPECT_NE(key_of({{b, 6}, {a, 4}}), key) << "the other way round";
  EXPECT_NE(key_of({{a, 6}, {b, 4}}), key);
  EXPECT_NE(key_of({{a, 4}, {b, 8}}), key);
  EXPECT_NE(key_of({{a, 4}, {b, 6}, {b, 6}}), key);
  EXPECT_NE(key_of({{b, 6}}), key);
  (*fake.dealloc())(a);
  EXPECT_NE(key_of({{a, 4}, {b, 6}}), key) << "other code at the same place";
}

// The memory of code that was dropped is other code's now, which may have the same contents.
TEST_P(PythonWalk, OtherCodeAtTheSamePlaceHasAnotherFingerprint) {
  char* code = fake.Code("/home/me/a.py", "first", 2, "table");
  fake.Call(code, 0);
  KeyOf(fake);
  const uint64_t before = FingerprintOf(code);
  EXPECT_EQ(FingerprintOf(code), before);
  (*fake.dealloc())(code);
  EXPECT_NE(FingerprintOf(code), before);
}

TEST_P(PythonWalk, WithoutDeathsThatCanBeCountedNothingIsRead) {
  fake.Call(fake.Code("a.py", "f", 2, ""), 0);
  *fake.dealloc() = nullptr;
  EXPECT_EQ(Walk(fake, Walked::kUncounted), Frames{});
}

}  // namespace
}  // namespace syncline::stacks
