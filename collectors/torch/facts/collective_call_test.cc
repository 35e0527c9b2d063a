// SPDX-License-Identifier: Apache-2.0
// Calls as their operators' inputs are recorded, and what no operator was ever called with.
#include "collectors/torch/facts/collective_call.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "collectors/torch/argument_words.h"

namespace syncline::torch {
namespace {

constexpr uint64_t kFloat = 6, kLong = 4;

class CallWords {
 public:
  CallWords& Tensor(std::vector<uint64_t> sizes, uint64_t type = kFloat) {
    Put(HeadOf(Argument::kTensor, sizes.size(), type) | kHasStrides);
    for (const uint64_t size : sizes) Put(size);
    for (size_t i = 0; i < sizes.size(); ++i) Put(1);
    return *this;
  }
  CallWords& List(uint64_t count) { return Put(HeadOf(Argument::kTensors, count)); }
  CallWords& Other() { return Put(HeadOf(Argument::kOther)); }
  CallWords& Int(uint64_t value) { return Put(HeadOf(Argument::kInt)).Put(value); }
  CallWords& OfGroup(std::string name, uint64_t rank, uint64_t ranks) {
    Put(HeadOf(Argument::kGroup, name.size())).Put(rank | ranks << 32);
    name.resize((name.size() + 7) / 8 * 8);
    bytes += name;
    return *this;
  }
  CallWords& Put(uint64_t word) {
    bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    return *this;
  }
  std::string bytes;
};

TEST(CollectiveCall, OfOneListIsAllReduced) {
  const CallWords words =
      CallWords().List(2).Tensor({3, 4}).Tensor({8}).OfGroup("tp_0", 1, 4).Other();
  const auto call = CollectiveOfOperator("c10d::allreduce_", words.bytes);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(call->name, "allreduce");
  EXPECT_EQ(call->group, "tp_0");
  EXPECT_EQ(call->rank, 1u);
  EXPECT_EQ(call->ranks, 4u);
  EXPECT_EQ(call->type, "Float");
  EXPECT_EQ(call->in, 20u);
  EXPECT_EQ(call->out, 20u);
  EXPECT_EQ(call->bytes, 80u);
}

TEST(CollectiveCall, ListsOfListsFollowFromTheOtherSide) {
  const CallWords gathered = CallWords().Other().List(1).Tensor({10}, kLong).OfGroup("0", 0, 3);
  const auto call = CollectiveOfOperator("c10d::allgather_", gathered.bytes);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->in, 10u);
  EXPECT_EQ(call->out, 30u);
  EXPECT_EQ(call->bytes, 240u);
  const CallWords scattered = CallWords().List(1).Tensor({10}).Other().OfGroup("0", 0, 3).Other();
  EXPECT_EQ(CollectiveOfOperator("c10d::reduce_scatter_", scattered.bytes)->in, 30u);
}

TEST(CollectiveCall, OnlyARootHasAll) {
  for (const uint64_t root : {0u, 1u}) {
    const CallWords words = CallWords().Other().List(1).Tensor({10}).OfGroup("0", 0, 3).Int(root);
    const auto call = CollectiveOfOperator("c10d::gather_", words.bytes);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->root, root);
    EXPECT_EQ(call->out, root == 0 ? 30u : 0u);
  }
}

TEST(CollectiveCall, MessagesHaveAPeerAndATag) {
  const CallWords words = CallWords().List(1).Tensor({10}).OfGroup("0", 0, 3).Int(2).Int(7);
  const auto sent = CollectiveOfOperator("c10d::send", words.bytes);
  ASSERT_TRUE(sent);
  EXPECT_FALSE(sent->kind);
  EXPECT_TRUE(sent->sends);
  EXPECT_EQ(sent->peer, 2u);
  EXPECT_EQ(sent->tag, 7);
  const CallWords any = CallWords().List(1).Tensor({10}).OfGroup("0", 0, 3).Int(7);
  EXPECT_FALSE(CollectiveOfOperator("c10d::recv_any_source_", any.bytes)->peer);
}

TEST(CollectiveCall, WhatIsNotKnownIsNotTold) {
  const CallWords many =
      CallWords().Put(HeadOf(Argument::kManyTensors, 31)).OfGroup("0", 0, 2).Other();
  const auto call = CollectiveOfOperator("c10d::allreduce_", many.bytes);
  ASSERT_TRUE(call);
  EXPECT_FALSE(call->in);
  EXPECT_FALSE(call->bytes);
  EXPECT_EQ(call->type, "");
  const CallWords mixed = CallWords().List(2).Tensor({1}, kLong).Tensor({1}).OfGroup("0", 0, 2);
  EXPECT_EQ(CollectiveOfOperator("c10d::allreduce_", mixed.bytes)->in, 2u);
  EXPECT_FALSE(CollectiveOfOperator("c10d::allreduce_", mixed.bytes)->bytes);
  const CallWords huge = CallWords().List(1).Tensor({uint64_t{1} << 40, uint64_t{1} << 40});
  EXPECT_FALSE(CollectiveOfOperator("c10d::allreduce_", huge.bytes));
}

TEST(CollectiveCall, NoneWithoutAGroup) {
  const CallWords words = CallWords().List(1).Tensor({1}).Other();
  EXPECT_FALSE(CollectiveOfOperator("c10d::allreduce_", words.bytes));
  const CallWords grouped = CallWords().List(1).Tensor({1}).OfGroup("0", 0, 2);
  EXPECT_FALSE(CollectiveOfOperator("aten::allreduce_", grouped.bytes));
  EXPECT_FALSE(CollectiveOfOperator("c10d::something_new_", grouped.bytes));
  EXPECT_FALSE(CollectiveOfOperator("c10d::allreduce_", ""));
}

// Whatever stands there: nothing is read behind the end.
TEST(CollectiveCall, AnyBytes) {
  const std::string whole =
      CallWords().List(2).Tensor({3, 4}).Tensor({8}).OfGroup("a longer name", 1, 4).Int(1).bytes;
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string cut = whole.substr(0, bytes);
    (void)CollectiveOfOperator("c10d::broadcast_", cut);
  }
  uint64_t random = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string any = whole;
    for (int i = 0; i < 4; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      any[(random >> 33) % any.size()] = static_cast<char>(random >> 56);
    }
    (void)CollectiveOfOperator("c10d::broadcast_", any);
  }
}

TEST(CollectiveCall, TextIsKinetos) {
  const CallWords words = CallWords().List(1).Tensor({10}).OfGroup("a\"b", 0, 3).Int(2).Int(0);
  std::string text;
  AppendCollective(*CollectiveOfOperator("c10d::send", words.bytes), &text);
  EXPECT_EQ(text, R"(, "Collective name": "send", "dtype": "Float", "In msg nelems": 10, )"
                  R"("Out msg nelems": 10, "Group size": 3, "Rank": 0, "Dst Rank": 2, )"
                  R"("Process Group Name": "a\"b")");
}

}  // namespace
}  // namespace syncline::torch
