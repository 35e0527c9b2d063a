// SPDX-License-Identifier: Apache-2.0
// Operators of two threads, whose records come in any order, by the lines that called them.
#include "analysis/sums/operator_lines.h"

#include <gtest/gtest.h>

#include "inject/core/domain_marks.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint16_t kDomain = 1;
constexpr uint32_t kMain = 1, kAutograd = 7;                    // the framework's numbers
constexpr uint32_t kMul = 1, kWithin = 2, kSum = 3, kBack = 4;  // names
constexpr std::string_view kTable("\0\1", 2);                   // of 3.8: the line behind the first
constexpr int64_t kNone = -1;

class Operators : public RecordSink {
 public:
  explicit Operators(OperatorLines* lines) : lines_(*lines) {}
  unsigned Interests() const override { return kOperators | kStacks; }
  void OnOperator(const RangeEvent& event) override {
    OperatorSums one;
    one.count = 1;
    lines_.Add(event, event.record.head.id, one);
  }

 private:
  OperatorLines& lines_;
};

class OperatorLinesTest : public ::testing::Test {
 protected:
  OperatorLinesTest() {
    for (auto* batch : {&forward_, &backward_}) {
      batch->Stream(batch == &forward_ ? 1 : 2, batch == &forward_ ? 10 : 11);
      batch->Text(RecordKind::kDomain, kDomain, 77, "aten",
                  kDomainOfOperators | kOperatorsHaveLines, testing::kRangeSource);
      batch->Name(kMul, "mul").Name(kWithin, "within").Name(kSum, "sum").Name(kBack, "back");
    }
    constexpr StackFrame kFirst[] = {{1, 0}}, kSecond[] = {{2, 0}};
    forward_.Code(1, 2, "a.py", "f", kTable, 0x308).Code(2, 8, "a.py", "g", kTable, 0x308);
    forward_.Stack(1, kFirst).Stack(2, kSecond);
  }

  // `thread`: the framework's number of the operator's own one, 0: it is in another operator.
  static void Add(RecordBatch* batch, uint32_t name, uint64_t begin, uint64_t end, uint32_t thread,
                  int64_t sequence, uint32_t forward_thread, uint32_t stack) {
    RangeAttributes attributes{};
    attributes.payload_type = static_cast<uint32_t>(PayloadType::kOperator);
    attributes.payload = static_cast<uint64_t>(sequence);
    attributes.forward_thread = forward_thread;
    attributes.own_thread = thread;
    attributes.stack = stack;
    batch->Raw(RecordKind::kRange, name, kStartTicks + begin, kStartTicks + end, kDomain, 0,
               kHasAttributes, &attributes);
  }
  void Forward(uint32_t name, uint64_t at, int64_t sequence, uint32_t stack) {
    Add(&forward_, name, at, at + 10, kMain, sequence, 0, stack);
  }
  void Backward(uint64_t at, int64_t sequence) {
    Add(&backward_, kWithin, at + 1, at + 2, 0, kNone, 0, 0);
    Add(&backward_, kBack, at, at + 10, kAutograd, sequence, kMain, 0);
  }

  // "mul a.py:2 f()", and how many.
  std::map<std::string, uint64_t> Found(bool backward_first) {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess());
    spool.Records(0, backward_first ? backward_ : forward_);
    spool.Records(1, backward_first ? forward_ : backward_);
    SpoolReader reader;
    testing::Scratch scratch;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "a.spool")).ok());
    const OwnCode own;
    OperatorLines lines(own);
    Operators sink(&lines);
    EXPECT_TRUE(reader.Read(&sink).ok());
    RunFindings findings;
    constexpr const char* kNames[] = {"", "mul", "within", "sum", "back"};
    lines.Finish([&](uint32_t name) { return RangeKey{"torch", "aten", kNames[name]}; }, &findings);
    std::map<std::string, uint64_t> found;
    for (const auto& [group, sums] : findings.operator_lines)
      found[group.of.name + " " + group.by] = sums.count;
    return found;
  }

  RecordBatch forward_, backward_;
};

TEST_F(OperatorLinesTest, WhatGoesBackHasItsForwardLine) {
  Forward(kMul, 100, 5, 1);
  Forward(kSum, 200, 6, 2);
  Backward(300, 6);
  Backward(400, 5);
  const std::map<std::string, uint64_t> wanted = {
      {"mul a.py:3 f()", 1},  {"sum a.py:9 g()", 1},    {"back a.py:3 f()", 1},
      {"back a.py:9 g()", 1}, {"within a.py:3 f()", 1}, {"within a.py:9 g()", 1}};
  EXPECT_EQ(Found(false), wanted);
  EXPECT_EQ(Found(true), wanted) << "the same whichever thread's records come first";
}

TEST_F(OperatorLinesTest, OfOneNumberTheLastOperatorCounts) {
  Forward(kMul, 100, 5, 1);  // makes nothing to go back through
  Forward(kSum, 200, 5, 2);
  Backward(300, 5);
  for (const bool backward_first : {false, true})
    EXPECT_EQ(Found(backward_first)["back a.py:9 g()"], 1u) << backward_first;
}

TEST_F(OperatorLinesTest, WhatIsWithinHasTheLineAroundIt) {
  Add(&forward_, kWithin, 110, 120, 0, 6, 0, 0);
  Add(&forward_, kMul, 100, 200, kMain, 5, 0, 1);
  Forward(kSum, 300, 7, 2);
  Backward(400, 6);
  const std::map<std::string, uint64_t> wanted = {{"mul a.py:3 f()", 1},
                                                  {"within a.py:3 f()", 2},
                                                  {"sum a.py:9 g()", 1},
                                                  {"back a.py:3 f()", 1}};
  EXPECT_EQ(Found(false), wanted);
}

TEST_F(OperatorLinesTest, NothingIsToldWhereNoLineIsKnown) {
  Forward(kMul, 100, 5, 0);
  Backward(200, 5);
  EXPECT_EQ(Found(false), (std::map<std::string, uint64_t>{}));
  Forward(kSum, 300, 9, 2);
  EXPECT_EQ(Found(false)["back "], 1u);
  EXPECT_EQ(Found(false)["mul "], 1u);
}

TEST_F(OperatorLinesTest, WhatLostItsOperatorAroundIsOfNoLine) {
  Add(&forward_, kWithin, 10, 20, 0, kNone, 0, 0);
  Forward(kMul, 100, 5, 1);
  Add(&forward_, kWithin, 210, 220, 0, kNone, 0, 0);
  const std::map<std::string, uint64_t> wanted = {{"mul a.py:3 f()", 1}, {"within ", 2}};
  EXPECT_EQ(Found(false), wanted);
}

}  // namespace
}  // namespace syncline
