// SPDX-License-Identifier: Apache-2.0
// Each stack of a thread is recorded once in its stream, and again in another one.
#include "collectors/stacks/known_stacks.h"

#include <gtest/gtest.h>

#include <memory>

#include "collectors/stacks/fake_python.h"
#include "inject/core/emit.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/record_walk.h"

namespace syncline::stacks {
namespace {

TEST(KnownIds, AreFoundUnderTheirKeyAndEpoch) {
  auto ids = std::make_unique<KnownIds<8>>();
  EXPECT_EQ(ids->Find(3, 1), 0u);
  ids->Keep(3, 1, 30);
  ids->Keep(11, 1, 110);  // in the same set
  EXPECT_EQ(ids->Find(3, 1), 30u);
  EXPECT_EQ(ids->Find(11, 1), 110u);
  EXPECT_EQ(ids->Find(19, 1), 0u);
  EXPECT_EQ(ids->Find(3, 2), 0u) << "of another epoch";
  EXPECT_EQ(ids->Find(0, 0), 0u) << "an empty entry is nobody's";
}

TEST(KnownIds, OfASetTheOldestIsForgotten) {
  auto ids = std::make_unique<KnownIds<8>>();
  for (uint32_t i = 0; i < 4; ++i) {
    ids->Keep(8 * i, 1, i + 1);
    for (uint32_t other = 1; other <= i; ++other) ids->Keep(8 * i + other, 1, 99);
  }
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(ids->Find(8 * i, 1), i + 1) << "four fit";
  ids->Keep(32, 1, 5);
  EXPECT_EQ(ids->Find(0, 1), 0u);
  for (uint32_t i = 1; i < 5; ++i) EXPECT_EQ(ids->Find(8 * i, 1), i + 1);
}

class TakenStacks : public ::testing::TestWithParam<uint16_t> {
 protected:
  void SetUp() override {
    test::ResetSession();
    outer_ = fake.Code("/home/me/a.py", "<module>", 1, "table");
    inner_ = fake.Code("/home/me/a.py", "f", 5, "other");
  }

  void Enter(int outer_at, int inner_at) {
    fake.innermost = nullptr;
    fake.Call(outer_, outer_at);
    fake.Call(inner_, inner_at);
  }
  // As a hook would, of the stack in which the outer code calls the inner one.
  uint32_t Take(int outer_at, int inner_at, size_t depth = 16) {
    Enter(outer_at, inner_at);
    const HookScope scope;
    Walked walked;
    const uint32_t id = StackId({&fake.python, false, depth}, {}, scope.log(), &walked);
    EXPECT_TRUE(walked == Walked::kWhole || walked == Walked::kCut);
    return id;
  }
  std::vector<std::string> Records() const {
    std::vector<std::string> found;
    for (const auto& thread : test::RecordsOfThreads()) {
      EXPECT_TRUE(test::ForEachRecord(thread, [&](const test::RecordView& view) {
        const std::string id = std::to_string(view.head.id);
        if (view.kind() == RecordKind::kCode)
          found.push_back("code " + id + " line " + std::to_string(view.Load<TextRecord>().key));
        if (view.kind() == RecordKind::kModule) ++modules_;
        if (view.kind() != RecordKind::kStack) return;
        found.push_back("stack " + id);
        const TextRecord record = view.Load<TextRecord>();
        if ((record.type & kStackCut) != 0) found.back() += " cut";
        if ((record.type & kStackLent) != 0) found.back() += " lent " + std::to_string(record.key);
        for (size_t at = 0; at < view.Text().size(); at += sizeof(StackFrame)) {
          found.back() += TextOf(view.Load<StackFrame>(sizeof(TextRecord) + at));
        }
      }));
    }
    return found;
  }

  static std::string TextOf(const StackFrame& frame) {
    if (IsNative(frame)) return " native";
    return " " + std::to_string(frame.code) + "@" + std::to_string(frame.instruction);
  }

  mutable int modules_ = 0;  // that Records() found
  FakePython fake{GetParam()};
  char* outer_;
  char* inner_;
};
INSTANTIATE_TEST_SUITE_P(Versions, TakenStacks, ::testing::Values(0x308, 0x30b, 0x30d));

using Lines = std::vector<std::string>;

TEST_P(TakenStacks, EachIsRecordedOnce) {
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Take(8, 6), 2u) << "another line";
  EXPECT_EQ(Take(10, 4), 3u) << "called from another line";
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Take(8, 4, 1), 4u) << "cut";
  EXPECT_EQ(Records(), (Lines{"code 1 line 5", "code 2 line 1", "stack 1 1@4 2@8",
                              "stack 2 1@6 2@8", "stack 3 1@4 2@10", "stack 4 cut 1@4"}));
  EXPECT_EQ(test::AllLosses(), 0u);
}

TEST_P(TakenStacks, AnotherStreamHasDefinitionsOfItsOwn) {
  EXPECT_EQ(Take(8, 6), 1u);
  EXPECT_EQ(Take(8, 4), 2u);
  t_log->stream += 1;
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Take(8, 4), 1u);
  const Lines again = {"code 1 line 5", "code 2 line 1", "stack 1 1@4 2@8"};
  Lines wanted = {"code 1 line 5", "code 2 line 1", "stack 1 1@6 2@8", "stack 2 1@4 2@8"};
  wanted.insert(wanted.end(), again.begin(), again.end());
  EXPECT_EQ(Records(), wanted);
}

// The two are the same to the walk but for the death in between.
TEST_P(TakenStacks, OtherCodeAtTheSamePlaceIsRecordedAnew) {
  EXPECT_EQ(Take(8, 4), 1u);
  (*fake.dealloc())(inner_);
  FakePython::Put(inner_, fake.python.code_first_line, uint32_t{7});
  EXPECT_EQ(Take(8, 4), 2u);
  EXPECT_EQ(Take(8, 4), 2u);
  EXPECT_EQ(Records(), (Lines{"code 1 line 5", "code 2 line 1", "stack 1 1@4 2@8", "code 3 line 7",
                              "stack 2 3@4 2@8"}));
}

TEST_P(TakenStacks, CodeThatIsNotAsExpectedIsALostFrameUntilItIs) {
  char* name = ReadAt<char*>(inner_, fake.python.code_name);
  FakePython::Put(inner_, fake.python.code_name, fake.Bytes("f"));
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Records(), (Lines{"code 1 line 1", "stack 1 0@4 1@8"}));
  EXPECT_EQ(test::Losses(kLoss_definition), 1u);
  FakePython::Put(inner_, fake.python.code_name, name);
  EXPECT_EQ(Take(8, 4), 2u);
  EXPECT_EQ(Records().back(), "stack 2 2@4 1@8");
  EXPECT_EQ(test::Losses(kLoss_definition), 1u);
}

TEST_P(TakenStacks, CodeThatNobodyRefersToIsNotRead) {
  FakePython::Put(inner_, 0, int64_t{0});
  FakePython::Put(inner_, fake.python.code_table, static_cast<char*>(nullptr));
  EXPECT_EQ(Take(8, 4), 1u);
  EXPECT_EQ(Records(), (Lines{"code 1 line 1", "stack 1 1@8"}));
}

TEST_P(TakenStacks, WithoutRoomThereIsNoStackAndALoss) {
  EXPECT_EQ(Take(8, 4), 1u);
  test::LimitRings(t_log->head);
  EXPECT_EQ(Take(8, 6), 0u);
  EXPECT_EQ(test::Losses(kLoss_definition), 1u);
  EXPECT_EQ(Take(8, 4), 1u) << "what is known needs no room";
  test::LimitRings(uint64_t{1} << 20);
  EXPECT_EQ(Take(8, 6), 2u);
  EXPECT_EQ(Records().back(), "stack 2 1@6 2@8");
}

TEST_P(TakenStacks, WithoutFramesThereIsNone) {
  const HookScope scope;
  const Wanted wanted = {&fake.python, false, 16};
  Walked walked;
  EXPECT_EQ(StackId(wanted, {}, scope.log(), &walked), 0u);
  EXPECT_EQ(walked, Walked::kWhole);
  FakePython::Put(fake.state, fake.python.layout.state_thread, pthread_self() + 1);
  EXPECT_EQ(StackId(wanted, {}, scope.log(), &walked), 0u);
  EXPECT_EQ(walked, Walked::kOther);
  EXPECT_EQ(Records(), Lines{});
}

constexpr HelperCode kAnyCode = {0, UINTPTR_MAX};

// Threads that work for a call of another one.
class Helpers : public TakenStacks {
 protected:
  void SetUp() override {
    TakenStacks::SetUp();
    lent_ = LentFrames::Make();
  }
  void TearDown() override { LentFrames::Destroy(lent_); }

  uint64_t Begin(int outer_at, int inner_at, size_t depth = 16) {
    Enter(outer_at, inner_at);
    const uint64_t call = lent_->Begin(fake.python, depth, kAnyCode);
    fake.Leave();
    return call;
  }
  // On a thread that runs no Python now.
  uint32_t TakeOfHelper() {
    const HookScope scope;
    Walked walked;
    return StackId({&fake.python, false, 16, lent_}, {}, scope.log(), &walked);
  }

  LentFrames* lent_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Versions, Helpers, ::testing::Values(0x308, 0x30b, 0x30c));

TEST_P(Helpers, HaveTheFramesOfTheCallAsLongAsItLasts) {
  EXPECT_EQ(TakeOfHelper(), 0u);
  const uint64_t first = Begin(8, 4);
  EXPECT_EQ(TakeOfHelper(), 1u);
  EXPECT_EQ(TakeOfHelper(), 1u);
  lent_->End(first);
  EXPECT_EQ(TakeOfHelper(), 0u);
  const uint64_t second = Begin(8, 6, 1);
  EXPECT_EQ(TakeOfHelper(), 2u);
  lent_->End(second);
  const uint64_t third = Begin(8, 4);
  EXPECT_EQ(TakeOfHelper(), 1u) << "it is known";
  lent_->End(third);
  EXPECT_EQ(Records(), (Lines{"code 1 line 5", "code 2 line 1", "stack 1 lent 2 1@4 2@8",
                              "stack 2 cut lent 1 1@6"}));
  EXPECT_EQ(test::AllLosses(), 0u);
}

TEST_P(Helpers, CodeIsTheSameAsInStacksOfTheirOwn) {
  EXPECT_EQ(Take(8, 4), 1u);
  const uint64_t call = Begin(8, 4);
  EXPECT_EQ(TakeOfHelper(), 2u) << "another stack, though of the same frames";
  lent_->End(call);
  EXPECT_EQ(Records(),
            (Lines{"code 1 line 5", "code 2 line 1", "stack 1 1@4 2@8", "stack 2 lent 2 1@4 2@8"}));
}

TEST_P(Helpers, WhoHasFramesGetsNone) {
  const uint64_t call = Begin(8, 4);
  fake.Call(outer_, 6);
  EXPECT_EQ(TakeOfHelper(), 1u);
  lent_->End(call);
  EXPECT_EQ(Records(), (Lines{"code 1 line 1", "stack 1 1@6"}));
}

TEST_P(Helpers, WhomPythonDoesNotKnowGetsNone) {
  const uint64_t call = Begin(8, 4);
  g_fake_state = nullptr;
  EXPECT_EQ(TakeOfHelper(), 0u);
  g_fake_state = fake.state;
  g_fake_finalizing = 1;
  EXPECT_EQ(TakeOfHelper(), 0u) << "the interpreter ends";
  g_fake_finalizing = 0;
  EXPECT_EQ(TakeOfHelper(), 1u);
  lent_->End(call);
}

TEST_P(Helpers, WithoutRoomForCodeAFrameIsLostAndCounted) {
  const uint64_t call = Begin(8, 4);
  EXPECT_EQ(TakeOfHelper(), 1u);
  lent_->End(call);
  test::LimitRings(t_log->head);
  inner_ = fake.Code("/home/me/a.py", "g", 9, "third");
  const uint64_t next = Begin(8, 4);
  EXPECT_EQ(TakeOfHelper(), 0u);
  EXPECT_GE(test::Losses(kLoss_definition), 1u);
  test::LimitRings(uint64_t{1} << 20);
  EXPECT_EQ(TakeOfHelper(), 2u);
  lent_->End(next);
  EXPECT_EQ(Records().back(), "stack 2 lent 2 3@4 2@8");
}

// This function's callers. The test is this library here, so what is left is of the C library's.
__attribute__((noinline)) uint32_t TakeNative(const Python* python, size_t depth, Walked* walked,
                                              const LentFrames* lent = nullptr) {
  const HookScope scope;
  Standing standing;
  TakeRegisters(&standing.registers);
  standing.slot = static_cast<const uint64_t*>(__builtin_frame_address(0)) + 1;
  return StackId({python, true, depth, lent}, standing, scope.log(), walked);
}

TEST_P(TakenStacks, NativeFramesStandBeforePythonsAndAlone) {
  if (!kWalksNative) GTEST_SKIP() << "only on x86-64";
  PrepareModules();
  fake.Call(outer_, 8);
  Walked walked;
  const Python* const none_and_python[] = {nullptr, nullptr, &fake.python, &fake.python};
  uint32_t ids[4];
#pragma GCC unroll 1
  for (int i = 0; i < 4; ++i) ids[i] = TakeNative(none_and_python[i], 64, &walked);
  const Lines records = Records();
  EXPECT_EQ(ids[0], ids[1]) << "from the same place";
  EXPECT_NE(ids[1], ids[2]);
  EXPECT_EQ(ids[2], ids[3]);
  ASSERT_GE(records.size(), 3u);
  EXPECT_TRUE(records[0].starts_with("stack 1 native")) << records[0];
  EXPECT_EQ(records.back(), "stack " + std::to_string(ids[3]) + " 1@8")
      << "where the interpreter's code is not known, native frames cannot be told from its own";
  EXPECT_GE(modules_, 1) << "the C library that called main";
  EXPECT_EQ(test::AllLosses(), 0u);
}

TEST_P(Helpers, BeganInTheCodeOfHelpers) {
  if (!kWalksNative) GTEST_SKIP() << "only on x86-64";
  PrepareModules();
  const auto here = reinterpret_cast<uintptr_t>(&TakeNative);
  const HelperCode elsewhere = {1, 2}, around = {here - (1 << 22), here + (1 << 22)};
  std::vector<std::string> found;
  for (const HelperCode& helpers : {elsewhere, around}) {
    Enter(8, 4);
    const uint64_t call = lent_->Begin(fake.python, 16, helpers);
    fake.Leave();
    Walked walked;
    EXPECT_NE(TakeNative(&fake.python, 512, &walked, lent_), 0u);
    lent_->End(call);
    EXPECT_EQ(lent_->WereNew(), helpers.begin == around.begin);
    EXPECT_FALSE(lent_->WereNew()) << "told once";
    found.push_back(Records().back());
  }
  EXPECT_TRUE(found[0].ends_with(" native")) << found[0];
  EXPECT_TRUE(found[1].ends_with(" native 1@4 2@8")) << found[1];
}

TEST_P(TakenStacks, ManyAreForgottenAndRecordedAgain) {
  std::vector<std::pair<int, uint32_t>> last;
  for (int at = 0; at < 6000; at += 2) last.emplace_back(at, Take(at, 4));
  uint32_t most = 0;
  for (const auto& [at, id] : last) most = std::max(most, id);
  EXPECT_EQ(most, last.size()) << "each has an id of its own";
  EXPECT_GT(Take(0, 4), 0u);
  EXPECT_EQ(test::AllLosses(), 0u);
}

}  // namespace
}  // namespace syncline::stacks
