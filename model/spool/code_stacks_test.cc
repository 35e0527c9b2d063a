// SPDX-License-Identifier: Apache-2.0
// Stacks of calls as a sink sees them: whole, damaged, undefined and unwanted.
#include "model/spool/code_stacks.h"

#include <gtest/gtest.h>

#include "model/run/code_location.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::PlausibleCall;
using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::SpoolBuilder;

constexpr std::string_view kTable("\0\1\4\2", 4);  // of 3.8: lines 1 and, from byte 4 on, 3 behind

// The stack of each call, as text; "" if it has none.
class StackListener : public RecordSink {
 public:
  explicit StackListener(bool wants) : wants_(wants) {}
  unsigned Interests() const override { return RecordSink::Interests() | (wants_ ? kStacks : 0u); }
  void OnCall(Stream& stream, const CallRecord& call) override { Add(stream, call); }
  void OnOpenCall(Stream& stream, const CallRecord& call) override { Add(stream, call); }
  void OnRange(const RangeEvent& event) override {
    EXPECT_EQ(event.stream.stack(), nullptr) << "only while a call is handed over";
  }

  std::vector<std::string> texts;
  std::vector<const CodeStack*> stacks;
  std::vector<bool> left_out;

 private:
  void Add(const Stream& stream, const CallRecord&) {
    stacks.push_back(stream.stack());
    left_out.push_back(stream.stack_left_out());
    texts.push_back(stream.stack() == nullptr ? "" : CodeLocations(own_).Of(stream.stack()).stack);
  }
  OwnCode own_;
  bool wants_;
};

class CodeStacksTest : public ::testing::Test {
 protected:
  std::vector<std::string> Read(const SpoolBuilder& spool, bool wants = true) {
    listener = StackListener(wants);
    reader = std::make_unique<SpoolReader>();
    EXPECT_TRUE(reader->Open(spool.Save(scratch / "a.spool")).ok());
    EXPECT_TRUE(reader->Read(&listener).ok());
    return listener.texts;
  }
  std::vector<std::string> Read(const RecordBatch& batch, bool wants = true) {
    SpoolBuilder spool;
    spool.Process(PlausibleProcess()).Records(0, batch);
    return Read(spool, wants);
  }
  // Calls of stacks, one for each id.
  static void Calls(RecordBatch* batch, std::initializer_list<uint32_t> ids) {
    for (const uint32_t id : ids) batch->CallWithStack(ACall(), id);
  }
  static CallRecord ACall() {
    return PlausibleCall(CallRole::kSynchronizeQueue, 1, kStartTicks + 5, kStartTicks + 9, 3);
  }
  static RecordBatch Begun(uint64_t stream = 1, uint32_t tid = 4210) {
    RecordBatch batch;
    batch.Stream(stream, tid).Name(1, "wait");
    return batch;
  }
  uint64_t Damaged() const { return reader->damage().records_damaged; }

  testing::Scratch scratch;
  std::unique_ptr<SpoolReader> reader;
  StackListener listener{true};
};

using Texts = std::vector<std::string>;

constexpr StackFrame kInnerAndOuter[] = {{1, 0}, {2, 4}};

RecordBatch& Define(RecordBatch* batch) {
  return batch->Code(1, 10, "a.py", "f", kTable, 0x308)
      .Code(2, 20, "b.py", "<module>", kTable, 0x308);
}

TEST_F(CodeStacksTest, CallsHaveTheirStacks) {
  RecordBatch batch = Begun();
  const StackFrame one[] = {{2, -1}};
  Define(&batch).Stack(1, kInnerAndOuter).Stack(2, one, kStackCut);
  Calls(&batch, {1, 2, 1, 0});
  batch.Call(ACall()).Range(1, kStartTicks, kStartTicks + 1);
  EXPECT_EQ(Read(batch), (Texts{"a.py:11 f() < b.py:23 <module>", "b.py:20 <module> < ...",
                                "a.py:11 f() < b.py:23 <module>", "", ""}));
  EXPECT_EQ(Damaged(), 0u);
  EXPECT_EQ(listener.stacks[0], listener.stacks[2]);
}

TEST_F(CodeStacksTest, LentFramesStandBehindWhatSaysSo) {
  RecordBatch batch = Begun();
  const StackFrame frames[] = {NativeStackFrame(0, 0x1234), {1, 0}, {2, 4}};
  Define(&batch).Stack(1, frames, kStackLent, 2).Stack(2, frames, kStackLent | kStackCut, 1);
  batch.Stack(3, kInnerAndOuter, kStackLent, 2).Stack(4, frames, 0, 2);
  Calls(&batch, {1, 2, 3, 4});
  EXPECT_EQ(Read(batch), (Texts{"unknown < (on behalf of) < a.py:11 f() < b.py:23 <module>",
                                "unknown < a.py:11 f() < (on behalf of) < b.py:23 <module> < ...",
                                "(on behalf of) < a.py:11 f() < b.py:23 <module>",
                                "unknown < a.py:11 f() < b.py:23 <module>"}));
  EXPECT_EQ(Damaged(), 0u);
  EXPECT_NE(listener.stacks[0], listener.stacks[3]);
}

TEST_F(CodeStacksTest, AnyNumberOfLentFramesIsRead) {
  RecordBatch batch = Begun();
  Define(&batch).Stack(1, kInnerAndOuter, kStackLent, 0).Stack(2, kInnerAndOuter, kStackLent, 3);
  batch.Stack(3, kInnerAndOuter, kStackLent, UINT64_MAX).Stack(4, kInnerAndOuter, UINT16_MAX, 1);
  Calls(&batch, {1, 2, 3, 4});
  EXPECT_EQ(Read(batch), (Texts{"a.py:11 f() < b.py:23 <module>",
                                "(on behalf of) < a.py:11 f() < b.py:23 <module>",
                                "(on behalf of) < a.py:11 f() < b.py:23 <module>",
                                "a.py:11 f() < (on behalf of) < b.py:23 <module> < ..."}));
  EXPECT_EQ(Damaged(), 0u);
}

TEST_F(CodeStacksTest, OnlyWhoWantsThemGetsThem) {
  RecordBatch batch = Begun();
  Define(&batch).Stack(1, kInnerAndOuter);
  batch.Text(RecordKind::kCode, 3, 1, "short").Text(RecordKind::kStack, 3, 0, "short");
  Calls(&batch, {1});
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  CallRecord open = ACall();
  open.end = 0;
  spool.OpenCall(0, 1, 4210, open, 1);
  EXPECT_EQ(Read(spool, false), (Texts{"", ""}));
  EXPECT_EQ(Damaged(), 0u) << "they are not looked into";
  Read(spool, true);
  EXPECT_EQ(Damaged(), 2u);
}

TEST_F(CodeStacksTest, OpenCallsHaveTheirStacks) {
  RecordBatch batch = Begun();
  Define(&batch).Stack(7, kInnerAndOuter);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  CallRecord open = ACall();
  open.end = 0;
  for (const uint32_t stack : {7, 8, 0}) {
    spool.OpenCall(0, 1, 4210, open, stack);
    ++open.source;  // of each a thread has one
  }
  EXPECT_EQ(Read(spool), (Texts{"a.py:11 f() < b.py:23 <module>", "", ""}));
}

TEST_F(CodeStacksTest, DamagedCodeIsALostFrame) {
  const CodeFacts facts[] = {{5, 0, 0, 0x308, 0},          {0, 5, 0, 0x308, 0},
                             {0, 0, 5, 0x308, 0},          {2, 2, 1, 0x308, 0},
                             {UINT32_MAX, 0, 0, 0x308, 0}, {UINT32_MAX, 5, UINT32_MAX, 0x308, 0}};
  RecordBatch batch = Begun();
  batch.Text(RecordKind::kCode, 1, 10, std::string(sizeof(CodeFacts) - 1, '\0'));
  batch.Text(RecordKind::kCode, 1, 10, "");
  for (const CodeFacts& damaged : facts) {
    std::string bytes(reinterpret_cast<const char*>(&damaged), sizeof(damaged));
    batch.Text(RecordKind::kCode, 1, 10, bytes + "four");
  }
  batch.Code(2, 20, "b.py", "<module>", "", 0x308).Stack(1, kInnerAndOuter);
  Calls(&batch, {1});
  EXPECT_EQ(Read(batch), (Texts{"(lost) < b.py:20 <module>"}));
  EXPECT_EQ(Damaged(), 2 + std::size(facts));
}

TEST_F(CodeStacksTest, DamagedStacksAreNone) {
  RecordBatch batch = Begun();
  Define(&batch);
  for (const size_t bytes : {0, 1, 7, 9, 15})
    batch.Text(RecordKind::kStack, 1, 0, std::string(bytes, '\1'));
  Calls(&batch, {1, 2, UINT32_MAX});
  EXPECT_EQ(Read(batch), (Texts{"", "", ""}));
  EXPECT_EQ(Damaged(), 5u);
}

TEST_F(CodeStacksTest, AStackIsOfTheCodeThatWasDefinedBefore) {
  RecordBatch batch = Begun();
  Define(&batch).Stack(1, kInnerAndOuter);
  Calls(&batch, {1});
  batch.Code(1, 50, "c.py", "g", "", 0x308);
  Calls(&batch, {1});
  batch.Stack(1, kInnerAndOuter);
  Calls(&batch, {1});
  EXPECT_EQ(Read(batch), (Texts{"a.py:11 f() < b.py:23 <module>", "a.py:11 f() < b.py:23 <module>",
                                "c.py:50 g() < b.py:23 <module>"}));
}

TEST_F(CodeStacksTest, DefinitionsAreOfTheirStream) {
  RecordBatch first = Begun(), second = Begun(2, 4211), third = Begun(3, 4212);
  Define(&first).Stack(1, kInnerAndOuter);
  Calls(&first, {1});
  first.StreamEnd(1, 4210);
  second.Stack(1, kInnerAndOuter);
  Calls(&second, {1});
  Define(&third).Stack(5, kInnerAndOuter);
  Calls(&third, {1, 5});
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, first).Records(0, third).Records(1, second);
  EXPECT_EQ(Read(spool), (Texts{"a.py:11 f() < b.py:23 <module>", "",
                                "a.py:11 f() < b.py:23 <module>", "(lost) < (lost)"}));
  EXPECT_EQ(listener.stacks[0], listener.stacks[2]) << "the same one, though its stream has ended";
}

TEST_F(CodeStacksTest, ATableThatWasCutIsKnownAsThat) {
  RecordBatch batch = Begun();
  batch.Code(1, 10, "a.py", "f", kTable, 0x309, kTableCut).Code(2, 10, "a.py", "f", kTable, 0x309);
  const StackFrame frames[] = {{1, 2}, {1, 4}, {2, 4}};
  batch.Stack(1, frames);
  Calls(&batch, {1});
  EXPECT_EQ(Read(batch), (Texts{"a.py:11 f() < a.py f() < a.py:13 f()"}));
}

TEST(CodeStacks, HoldOnlySoMuch) {
  CodeStacks stacks(uint64_t{10} << 20);
  const CodeFacts facts = {60000, 0, 0, 0x308, 0};
  std::string bytes(reinterpret_cast<const char*>(&facts), sizeof(facts));
  bytes.resize(bytes.size() + 60000);
  uint32_t held = 0;
  while (held < 10000 && stacks.Code(held, bytes) != nullptr) ++held;
  EXPECT_GT(held, 100u);
  EXPECT_LT(held, 1000u);
  EXPECT_TRUE(stacks.full());
  EXPECT_NE(stacks.Code(0, bytes), nullptr) << "it is held already";
}

TEST(CodeStacks, SharedFramesAreHeldOnce) {
  int named = 0;
  const std::vector<NativeName> name = {{"a_function", "a.cc", 3}};
  const auto names = [&](const NativeModule&, uint64_t) -> const auto& {
    ++named;
    return name;
  };
  CodeStacks stacks(names, uint64_t{4} << 20);  // not enough for a tenth, if each had its own
  const NativeModule* module = stacks.Module(0, "/home/me/run");
  std::vector<CodeStacks::Place> places(100, {.module = module});
  for (uint32_t number = 0; number < 4000; ++number) {
    for (size_t i = 0; i < 12; ++i) places[i].address = number >> i & 1;
    ASSERT_NE(stacks.Stack(places, false), nullptr) << number;
  }
  EXPECT_FALSE(stacks.full());
  EXPECT_EQ(named, 2);
}

// Two of three stacks have room.
TEST_F(CodeStacksTest, ACallWhoseStackHasNoRoomSaysSo) {
  RecordBatch batch = Begun();
  std::vector<StackFrame> frames(200, {1, 0});
  Define(&batch).Stack(1, frames);
  frames[0].instruction = 4;
  batch.Stack(2, frames);
  Calls(&batch, {1, 2, 9});
  frames[1].instruction = 4;
  batch.Stack(2, frames);  // of another by the same number
  Calls(&batch, {2, 2, 1});
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  reader = std::make_unique<SpoolReader>();
  reader->SetStackRoom(5500);
  ASSERT_TRUE(reader->Open(spool.Save(scratch / "a.spool")).ok());
  ASSERT_TRUE(reader->Read(&listener).ok());
  Texts begins;
  for (const std::string& text : listener.texts) begins.push_back(text.substr(0, 10));
  EXPECT_EQ(begins, (Texts{"a.py:11 f(", "a.py:13 f(", "", "", "", "a.py:11 f("}))
      << "never the one that the number meant before";
  EXPECT_EQ(listener.left_out, (std::vector<bool>{false, false, false, true, true, false}));
  EXPECT_EQ(Damaged(), 0u) << "nothing is wrong with them";
}

TEST_F(CodeStacksTest, CodeWithoutRoomMakesNoLostFrames) {
  RecordBatch batch = Begun();
  Define(&batch).Code(3, 30, "c.py", std::string(2000, 'f'), kTable, 0x308);
  const StackFrame frames[] = {{2, 4}, {3, 0}};
  batch.Stack(1, kInnerAndOuter).Stack(2, frames);
  Calls(&batch, {1, 2});
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  reader = std::make_unique<SpoolReader>();
  reader->SetStackRoom(1500);
  ASSERT_TRUE(reader->Open(spool.Save(scratch / "a.spool")).ok());
  ASSERT_TRUE(reader->Read(&listener).ok());
  EXPECT_EQ(listener.texts, (Texts{"a.py:11 f() < b.py:23 <module>", ""}));
  EXPECT_EQ(listener.left_out, (std::vector<bool>{false, true}));
}

TEST_F(CodeStacksTest, NativeFramesAreOfTheirModules) {
  RecordBatch batch = Begun();
  Define(&batch)
      .Module(1, "\x12\x34", "/nowhere/libsolver.so")
      .Module(kMostModules, "", "/nowhere/run");
  const StackFrame frames[] = {NativeStackFrame(1, 0x1234),
                               NativeStackFrame(kMostModules, 0xFFFF12345678),
                               {1, 0},
                               NativeStackFrame(2, 0x7F0000001000),
                               NativeStackFrame(0, 0x10)};
  batch.Stack(1, frames);
  Calls(&batch, {1});
  EXPECT_EQ(Read(batch), (Texts{"libsolver.so+0x1234 < run+0xffff12345678 < a.py:11 f() < "
                                "(lost) < unknown"}));
  EXPECT_EQ(Damaged(), 0u);
}

TEST_F(CodeStacksTest, DamagedModulesAreNone) {
  RecordBatch batch = Begun();
  batch.Module(0, "", "/a").Module(kMostModules + 1, "", "/a");
  batch.Text(RecordKind::kModule, 1, 0, "short", 0, 6)
      .Text(RecordKind::kModule, 1, 0, std::string(5000, '/'));
  const StackFrame frames[] = {NativeStackFrame(1, 0x10)};
  batch.Stack(1, frames);
  Calls(&batch, {1});
  EXPECT_EQ(Read(batch), (Texts{"(lost)"}));
  EXPECT_EQ(Damaged(), 4u);
}

// The names of a stack as they come out.
Texts NamesOf(const CodeStack& stack) {
  Texts names;
  for (const CodeStack::Frame* frame : stack.frames) names.emplace_back(frame->function);
  return names;
}

TEST(CodeStacks, AnAddressMayStandForInlinedFunctions) {
  const std::vector<NativeName> inlined = {{"inner", "a.h", 3}, {"outer", "a.cc", 9}};
  CodeStacks stacks([&](const NativeModule&, uint64_t) -> const auto& { return inlined; });
  const NativeModule* module = stacks.Module(0, "/home/me/run");
  const CodeStack* stack = stacks.Stack({{.module = module, .address = 4}}, false);
  ASSERT_NE(stack, nullptr);
  EXPECT_EQ(NamesOf(*stack), (Texts{"inner", "outer"}));
  EXPECT_EQ(stack->frames[1]->line, 9u);
  EXPECT_EQ(stack->frames[1]->module, "/home/me/run");
}

TEST(CodeStacks, HowAThreadBeginsIsLeftOut) {
  const std::vector<NativeName> names[] = {{{"main", "", 0}},
                                           {{"start_thread", "", 0}},
                                           {{"_start", "", 0}},
                                           {{"__libc_start_main_impl", "", 0}},
                                           {{"run+0x10", "", 0}}};
  CodeStacks stacks([&](const NativeModule&, uint64_t at) -> const auto& { return names[at]; });
  const NativeModule* run = stacks.Module(0, "/home/me/run");
  const NativeModule* libc = stacks.Module(0, "/lib/libc.so.6");
  const CodeStacks::Place main{.module = run, .address = 0}, in_libc{.module = libc, .address = 1},
      start{.module = run, .address = 2};
  EXPECT_EQ(NamesOf(*stacks.Stack({in_libc, main, in_libc, in_libc, start}, false)),
            (Texts{"start_thread", "main"}));
  const CodeStacks::Place called_main{.module = libc, .address = 3},
      unknown{.module = run, .address = 4};
  EXPECT_EQ(NamesOf(*stacks.Stack({unknown, called_main, unknown}, false)), (Texts{"run+0x10"}));
  EXPECT_EQ(NamesOf(*stacks.Stack({main, in_libc}, true)), (Texts{"main", "start_thread"}))
      << "who knows where it begins";
  EXPECT_EQ(NamesOf(*stacks.Stack({in_libc, in_libc}, false)), (Texts{"start_thread"}));
}

}  // namespace
}  // namespace syncline
