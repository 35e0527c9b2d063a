// SPDX-License-Identifier: Apache-2.0
// Which module a moment, a backward operator and a launch belong to, from records as threads write
// them: what ends first comes first.
#include "model/run/module_log.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "inject/core/domain_marks.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline::module_log_test {
namespace {

using testing::kSource;
using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint32_t kThread = 42, kAutograd = 43;
constexpr uint16_t kModules = 1, kOperators = 2;
constexpr uint32_t kNet = 1, kA = 2, kB = 3, kLinear = 4, kOperator = 5;
constexpr int64_t kNone = -1;

uint64_t Ticks(uint64_t at) { return kStartTicks + at; }

// One thread's records.
class Writer {
 public:
  Writer(uint64_t stream, uint32_t tid) {
    batch.Stream(stream, tid)
        .Text(RecordKind::kDomain, kModules, 901, "modules", kDomainOfModules, 1)
        .Text(RecordKind::kDomain, kOperators, 902, "ops", kDomainOfOperators, 1)
        .Name(kNet, "Net")
        .Name(kA, "Net.a")
        .Name(kB, "Net.b")
        .Name(kLinear, "Linear")
        .Name(kOperator, "op");
  }
  // PyTorch's number of the thread is `number`.
  Writer& Module(uint32_t name, uint64_t begin, uint64_t end, uint32_t number = 1) {
    RangeAttributes attributes{};
    attributes.payload_type = static_cast<uint32_t>(PayloadType::kModule);
    attributes.payload = 100 + name;
    attributes.arguments = kLinear;
    attributes.forward_thread = number;
    batch.Range(name, Ticks(begin), Ticks(end), kModules, kHasAttributes, &attributes);
    return *this;
  }
  Writer& Operator(uint64_t begin, uint64_t end, int64_t sequence, uint32_t forward_thread = 0) {
    RangeAttributes attributes{};
    attributes.payload_type = static_cast<uint32_t>(PayloadType::kOperator);
    attributes.payload = static_cast<uint64_t>(sequence);
    attributes.forward_thread = forward_thread;
    batch.Range(kOperator, Ticks(begin), Ticks(end), kOperators, kHasAttributes, &attributes);
    return *this;
  }
  Writer& Launch(uint64_t begin, uint32_t correlation) {
    batch.Call(
        testing::PlausibleCall(CallRole::kLaunch, 0, Ticks(begin), Ticks(begin + 1), correlation));
    return *this;
  }

  RecordBatch batch;
};

class ModuleLogTest : public ::testing::Test {
 protected:
  void Read(uint64_t most = 1000) {
    room = std::make_shared<uint64_t>(most);
    log = std::make_unique<ModuleLog>(room);
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(42));
    spool.Records(0, forward.batch).Records(1, backward.batch);
    SpoolReader reader;
    ASSERT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    ASSERT_TRUE(reader.Read(log.get()).ok());
    ASSERT_EQ(reader.damage().records_damaged, 0u);
    log->Finish();
  }
  std::string At(uint32_t tid, uint64_t at) const { return Of(log->At(tid, Ticks(at))); }
  std::string Launched(uint32_t correlation) const {
    return Of(log->OfLaunch(kSource, correlation));
  }
  static std::string Of(const ModuleLog::Path* path) { return path == nullptr ? "" : path->name; }

  testing::Scratch scratch;
  Writer forward{1, kThread}, backward{2, kAutograd};
  std::shared_ptr<uint64_t> room;
  std::unique_ptr<ModuleLog> log;
};

TEST_F(ModuleLogTest, AMomentBelongsToTheInnermost) {
  forward.Launch(15, 7).Module(kA, 10, 20).Launch(25, 8).Module(kB, 30, 40).Module(kNet, 5, 50);
  forward.Launch(60, 9);
  Read();
  EXPECT_EQ(At(kThread, 4), "");
  EXPECT_EQ(At(kThread, 5), "Net");
  EXPECT_EQ(At(kThread, 10), "Net.a");
  EXPECT_EQ(At(kThread, 25), "Net");
  EXPECT_EQ(At(kThread, 40), "Net.b");
  EXPECT_EQ(At(kThread, 45), "Net");
  EXPECT_EQ(At(kThread, 51), "");
  EXPECT_EQ(At(kAutograd, 15), "");
  EXPECT_EQ(Launched(7), "Net.a");
  EXPECT_EQ(Launched(8), "Net");
  EXPECT_EQ(Launched(9), "");
  EXPECT_EQ(log->paths()[0].of_class, "Linear");
}

TEST_F(ModuleLogTest, ABackwardOperatorIsItsForwardOperatorsModules) {
  forward.Operator(11, 12, 4).Operator(13, 14, 5).Module(kA, 10, 20);
  forward.Operator(21, 22, 6);
  forward.Operator(31, 32, 7).Operator(33, 34, kNone).Module(kB, 30, 40);
  forward.Operator(41, 42, 8).Module(kNet, 5, 50).Operator(60, 61, 9);
  backward.Operator(100, 109, 9, 1).Operator(110, 119, 8, 1).Operator(120, 129, 7, 1);
  backward.Operator(132, 135, 6, 1).Operator(130, 139, 6, 1);
  backward.Launch(145, 3).Operator(140, 149, 5, 1).Operator(150, 159, 4, 1);
  backward.Operator(160, 169, 4, 2);
  Read();
  EXPECT_EQ(At(kAutograd, 105), "") << "of no module";
  EXPECT_EQ(At(kAutograd, 115), "Net");
  EXPECT_EQ(At(kAutograd, 125), "Net.b");
  EXPECT_EQ(At(kAutograd, 131), "Net") << "by the outer one, which has the same number";
  EXPECT_EQ(At(kAutograd, 145), "Net.a");
  EXPECT_EQ(At(kAutograd, 155), "Net.a");
  EXPECT_EQ(At(kAutograd, 165), "") << "another forward thread";
  EXPECT_EQ(Launched(3), "Net.a");
  const ModuleLog::Thread& thread = log->threads().at(kAutograd);
  EXPECT_EQ(thread.spans.size(), 5u);
  EXPECT_EQ(thread.backward, std::vector<bool>(5, true));
}

// An operator that makes nothing to go back through shows the number that the next one gets.
// A checkpoint that runs a module again in backward, and goes back through it there.
TEST_F(ModuleLogTest, WhatGoesBackWithinABackwardOperatorIsItsOwnModules) {
  forward.Operator(12, 18, 5).Module(kNet, 10, 20);
  backward.Operator(112, 118, 7).Module(kA, 110, 120, 2);
  backward.Operator(131, 139, 7, 2).Operator(130, 140, 7, 2);
  backward.Operator(105, 150, 5, 1).Operator(100, 155, 5, 1);
  Read();
  EXPECT_EQ(At(kAutograd, 101), "Net");
  EXPECT_EQ(At(kAutograd, 115), "Net.a");
  EXPECT_EQ(At(kAutograd, 135), "Net.a");
  EXPECT_EQ(At(kAutograd, 145), "Net");
}

TEST_F(ModuleLogTest, OfOperatorsWithOneNumberTheLastCounts) {
  forward.Operator(6, 7, 1).Operator(8, 9, 2);     // Net's own; 2 makes nothing
  forward.Operator(11, 12, 2).Module(kA, 10, 20);  // makes 2
  forward.Operator(22, 23, 3);
  forward.Operator(31, 32, 4).Module(kB, 30, 40);  // makes nothing
  forward.Operator(41, 42, 4).Module(kNet, 5, 50);
  for (int64_t sequence = 1; sequence <= 4; ++sequence)
    backward.Operator(100 + 10 * sequence, 105 + 10 * sequence, sequence, 1);
  Read();
  EXPECT_EQ(At(kAutograd, 111), "Net");
  EXPECT_EQ(At(kAutograd, 121), "Net.a");
  EXPECT_EQ(At(kAutograd, 131), "Net");
  EXPECT_EQ(At(kAutograd, 141), "Net");
}

TEST_F(ModuleLogTest, WithoutRoomTheRestIsLeftOutAndCounted) {
  forward.Module(kA, 10, 20).Module(kB, 30, 40).Module(kNet, 5, 50);
  Read(2);
  EXPECT_EQ(log->left_out(), 1u);
  EXPECT_EQ(At(kThread, 35), "Net.b");
  EXPECT_EQ(At(kThread, 45), "");
}

TEST_F(ModuleLogTest, AProcessWithoutModulesKeepsNothing) {
  forward.Operator(11, 12, 4).Launch(15, 7);
  Read();
  EXPECT_TRUE(log->empty());
}

}  // namespace
}  // namespace syncline::module_log_test
