// SPDX-License-Identifier: Apache-2.0
// When another client of CUPTI is done, and to whom buffers go.
#include <gtest/gtest.h>

#include <vector>

#include "collectors/cuda/client_buffers.h"
#include "collectors/cuda/client_state.h"

namespace syncline::test {
namespace {

using cuda::ClientAct;
using cuda::ClientFunctions;
using cuda::ClientState;

constexpr uint32_t kKernels = 10, kCopies = 1;
constexpr uint64_t kSecond = 1'000'000'000;

TEST(ClientStateTest, AProfilerNeedsCuptiFromItsFirstCallToItsFlush) {
  ClientState client;
  EXPECT_FALSE(client.Busy());
  EXPECT_TRUE(client.Begin(1));
  EXPECT_TRUE(client.Busy());
  EXPECT_FALSE(client.Begin(1));
  client.Did(ClientAct::kEnabled, kKernels, 2);
  client.Did(ClientAct::kEnabled, kCopies, 3);
  client.BufferGiven();
  client.Did(ClientAct::kDisabled, kKernels, 4);
  client.Did(ClientAct::kFlushed, 0, 5);  // in the middle
  EXPECT_TRUE(client.Busy());
  EXPECT_FALSE(client.MayBeDone());
  client.Did(ClientAct::kDisabled, kCopies, 6);
  EXPECT_TRUE(client.MayBeDone());
  EXPECT_FALSE(client.HasFlushed());
  client.BufferBack();
  EXPECT_TRUE(client.Busy());
  client.Did(ClientAct::kFlushed, 0, 7);
  EXPECT_FALSE(client.Busy());
}

TEST(ClientStateTest, BuffersThatAreOutKeepItBusy) {
  ClientState client;
  client.Begin(1);
  client.Did(ClientAct::kEnabled, kKernels, 2);
  client.BufferGiven();
  client.Did(ClientAct::kDisabled, kKernels, 3);
  client.Did(ClientAct::kFlushed, 0, 4);
  EXPECT_TRUE(client.Busy());
  EXPECT_TRUE(client.HasFlushed());
  EXPECT_FALSE(client.Idle(100 * kSecond));  // it has something to come
  client.BufferBack();
  EXPECT_FALSE(client.Busy());
}

TEST(ClientStateTest, AnEmptySessionIsOverAfterAWhile) {
  ClientState client;
  client.Begin(kSecond);
  EXPECT_FALSE(client.Idle(2 * kSecond));
  client.Did(ClientAct::kEnabled, kKernels, kSecond);
  EXPECT_FALSE(client.Idle(9 * kSecond));
  client.Did(ClientAct::kDisabled, kKernels, 9 * kSecond);
  EXPECT_FALSE(client.Idle(10 * kSecond));
  EXPECT_TRUE(client.Idle(12 * kSecond));
  client.Forgive();
  EXPECT_FALSE(client.Busy());
}

TEST(ClientStateTest, ASessionWithBuffersIsOverOnlyWhenFlushed) {
  ClientState client;
  client.Begin(1);
  client.Did(ClientAct::kEnabled, kKernels, 1);
  client.BufferGiven();
  client.BufferBack();  // full
  client.Did(ClientAct::kDisabled, kKernels, 2);
  EXPECT_TRUE(client.Busy());
  EXPECT_FALSE(client.Idle(100 * kSecond));
}

TEST(ClientStateTest, ASubscriberNeedsItUntilItUnsubscribes) {
  ClientState client;
  client.Begin(1);
  client.Did(ClientAct::kSubscribed, 0, 1);
  EXPECT_TRUE(client.Busy());
  EXPECT_FALSE(client.MayBeDone());
  client.Did(ClientAct::kUnsubscribed, 0, 2);
  EXPECT_FALSE(client.Busy());
  client.Did(ClientAct::kUnsubscribed, 0, 3);  // once too often
  client.Begin(4);
  client.Did(ClientAct::kSubscribed, 0, 4);
  client.Did(ClientAct::kFlushed, 0, 5);
  EXPECT_TRUE(client.Busy());
}

TEST(ClientStateTest, FinalizeForgetsAll) {
  ClientState client;
  client.Begin(1);
  client.Did(ClientAct::kSubscribed, 0, 1);
  client.Did(ClientAct::kEnabled, kKernels, 1);
  client.BufferGiven();
  client.Did(ClientAct::kFinalized, 0, kSecond);
  EXPECT_TRUE(client.MayBeDone());
  EXPECT_TRUE(client.Idle(9 * kSecond));
}

// Two clients' functions, which note what they are called for.
struct Noted {
  std::vector<uint8_t*> requested, completed;
};
Noted g_noted[6];
uint8_t g_memory[6];

template <int index>
void Request(uint8_t** buffer, size_t* bytes, size_t*) {
  *buffer = &g_memory[index];
  *bytes = 1;
  g_noted[index].requested.push_back(*buffer);
}
template <int index>
void Complete(void*, uint32_t, uint8_t* buffer, size_t, size_t) {
  g_noted[index].completed.push_back(buffer);
}
void Decline(uint8_t** buffer, size_t* bytes, size_t*) {
  *buffer = nullptr;
  *bytes = 0;
}

TEST(ClientBuffersTest, EachGoesBackToWhoGaveIt) {
  ClientState state;
  bool counted = false;
  const ClientFunctions first = StandInFor({Request<0>, Complete<0>}, &state, &counted);
  EXPECT_TRUE(counted);
  const ClientFunctions second = StandInFor({Request<1>, Complete<1>}, &state, &counted);
  EXPECT_NE(first.complete, second.complete);
  EXPECT_EQ(StandInFor({Request<0>, Complete<0>}, &state, &counted).complete, first.complete);

  uint8_t* buffer = nullptr;
  size_t bytes = 0, records = 0;
  first.request(&buffer, &bytes, &records);
  EXPECT_EQ(buffer, &g_memory[0]);
  EXPECT_TRUE(state.Busy());
  second.request(&buffer, &bytes, &records);
  first.complete(nullptr, 0, &g_memory[0], 1, 0);
  EXPECT_TRUE(state.Busy());
  cuda::BringToClient(nullptr, 0, &g_memory[0], 1, 0);  // to the last that registered: the first
  EXPECT_EQ(g_noted[0].completed.size(), 2u);
  EXPECT_FALSE(state.Busy());
  EXPECT_TRUE(g_noted[1].completed.empty());

  const ClientFunctions declining = StandInFor({Decline, Complete<2>}, &state, &counted);
  declining.request(&buffer, &bytes, &records);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_FALSE(state.Busy());

  EXPECT_NE(StandInFor({Request<3>, Complete<3>}, &state, &counted).request, Request<3>);
  const ClientFunctions fifth = StandInFor({Request<4>, Complete<4>}, &state, &counted);
  EXPECT_FALSE(counted);
  EXPECT_EQ(fifth.request, Request<4>);
}

}  // namespace
}  // namespace syncline::test
