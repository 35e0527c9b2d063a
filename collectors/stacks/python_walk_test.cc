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
  const bool has_others = fake.python.layout.frame_owner != kNone;
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
  const int16_t version = fake.python.layout.code_version;
  const auto key_of = [&](std::initializer_list<std::pair<char*, int64_t>> calls) {
    fake.Enter(nullptr);
    for (const auto& [code, bytes] : calls) fake.Call(code, bytes);
    return KeyOf(fake);
  };
  char* a = fake.Code("a.py", "f", 2, "");
  char* b = fake.Code("a.py", "g", 8, "");
  if (version != kNone) {
    FakePython::Put(a, version, uint32_t{7});
    FakePython::Put(b, version, uint32_t{8});
  }
  const uint64_t key = key_of({{a, 4}, {b, 6}});
  EXPECT_EQ(key_of({{a, 4}, {b, 6}}), key) << "other frames, the same stack";
  EXPECT_NE(key_of({{b, 6}, {a, 4}}), key) << "the other way round";
  EXPECT_NE(key_of({{a, 6}, {b, 4}}), key);
  EXPECT_NE(key_of({{a, 4}, {b, 8}}), key);
  EXPECT_NE(key_of({{a, 4}, {b, 6}, {b, 6}}), key);
  EXPECT_NE(key_of({{b, 6}}), key);
  FakePython::Put(a, fake.python.code_first_line, uint32_t{3});
  EXPECT_NE(key_of({{a, 4}, {b, 6}}), key) << "other code at the same place";
  FakePython::Put(a, fake.python.code_first_line, uint32_t{2});
  EXPECT_EQ(key_of({{a, 4}, {b, 6}}), key);
  if (version == kNone) return;
  FakePython::Put(a, version, uint32_t{9});
  EXPECT_NE(key_of({{a, 4}, {b, 6}}), key) << "of another version";
  FakePython::Put(a, version, uint32_t{7});
  if (fake.python.layout.python < 0x30d) return;
  FakePython::Put(a, fake.python.code_table, fake.Bytes("x"));
  EXPECT_NE(key_of({{a, 4}, {b, 6}}), key) << "of another interpreter";
}

// Their line and the addresses of their texts differ by as much.
TEST_P(PythonWalk, LinesAndAddressesDoNotOutweighEachOther) {
  const Python& python = fake.python;
  std::vector<uint64_t> room(64);
  auto* base = reinterpret_cast<char*>(room.data());
  char* code = fake.Code("", "f", 2, "");
  const auto fingerprint = [&](int64_t offset, uint32_t line) {
    char* file = base + 128 + offset;
    std::memcpy(file, fake.Str("/home/me/a.py"), 96);
    FakePython::Put(code, python.code_file, file);
    FakePython::Put(code, python.code_first_line, line);
    return FingerprintOf(python, code);
  };
  const uint64_t before = fingerprint(0, 100);
  for (int64_t offset = -96; offset <= 96; offset += 16) {
    if (offset != 0) {
      EXPECT_NE(fingerprint(offset, static_cast<uint32_t>(100 - offset)), before);
      EXPECT_NE(fingerprint(offset, static_cast<uint32_t>(100 + offset)), before);
    }
  }
}

// The memory of code that was dropped, with a table of the same size, is other code's now.
TEST_P(PythonWalk, OtherCodeAtTheSamePlaceHasAnotherFingerprint) {
  const Python& python = fake.python;
  char* code = fake.Code("/home/me/a.py", "first", 2, std::string(20, 'a'));
  if (python.layout.code_version != kNone) FakePython::Put(code, python.layout.code_version, 0);
  const uint64_t before = FingerprintOf(python, code);
  EXPECT_EQ(FingerprintOf(python, code), before);
  const auto differs = [&](int64_t offset, auto value) {
    const auto old = ReadAt<decltype(value)>(code, offset);
    FakePython::Put(code, offset, value);
    EXPECT_NE(FingerprintOf(python, code), before) << "offset " << offset;
    FakePython::Put(code, offset, old);
    EXPECT_EQ(FingerprintOf(python, code), before);
  };
  differs(python.code_first_line, uint32_t{3});
  differs(python.code_file, fake.Str("/home/me/b.py"));
  differs(python.code_name, fake.Str("other"));
  differs(python.code_table, fake.Bytes(std::string(20, 'a')));
  if (python.layout.code_version != kNone) differs(python.layout.code_version, uint32_t{7});
  // The same objects, whose memory has other text now.
  auto* file = ReadAt<char*>(code, python.code_file) + python.layout.str_ascii;
  auto* name = ReadAt<char*>(code, python.code_name) + python.layout.str_ascii;
  auto* table = ReadAt<char*>(code, python.code_table) + kBytesTextOffset;
  for (char* at : {file, file + 9, file + 12, name, name + 4, table, table + 19}) {
    const char old = *at;
    *at = 'x';
    EXPECT_NE(FingerprintOf(python, code), before) << at;
    *at = old;
  }
}

}  // namespace
}  // namespace syncline::stacks
