// SPDX-License-Identifier: Apache-2.0
// Calls of two sources on one thread, and their typed arguments.
#include "inject/core/call_log.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {
namespace {

constexpr Source kUpper = 5, kLower = 6;
constexpr char kSendText[] = "send", kWaitText[] = "wait";
constexpr CallName kSend(kSendText, 4, static_cast<uint8_t>(CallRole::kCommunicate), 31, false);
constexpr CallName kWait(kWaitText, 4, static_cast<uint8_t>(CallRole::kSynchronizeQueue), 8, true);
constinit CallLog<kUpper> g_upper;
constinit CallLog<kLower> g_lower;

struct Sent {
  uint64_t bytes;
  int32_t peer;
};
constexpr ArgumentField kFields[] = {
    {"bytes", ArgumentType::kUint64, 0},
    {"peer", ArgumentType::kInt32, 8},
};
constexpr ArgumentSchema kSentSchema = {kUpper, 1, "sent", sizeof(Sent), kFields, 2};

class CallLogs : public ::testing::Test {
 protected:
  void SetUp() override { ResetSession(); }
};

TEST_F(CallLogs, EachSourceHasAnOutermostCall) {
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 1};
  const uint64_t sent = g_upper.Begin(send);
  const uint64_t waited = g_lower.Begin(wait);
  const uint64_t again = g_lower.Begin(wait);
  const RingControl& control = *t_log->control;
  EXPECT_NE(control.calls[kUpper].begin, 0u);
  EXPECT_NE(control.calls[kLower].begin, 0u);
  EXPECT_EQ(control.calls[kLower].role, kWait.role);
  EXPECT_EQ(control.calls[kLower].flags, kDriverCall);
  g_lower.End(wait, again, 0);
  g_lower.End(wait, waited, 0);
  EXPECT_EQ(control.calls[kLower].begin, 0u);
  EXPECT_NE(control.calls[kUpper].begin, 0u);
  g_upper.End(send, sent, 3);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u)
      << "calls inside of others are not recorded, unless by another source";
  EXPECT_EQ(calls[0].call.source, kLower);
  EXPECT_EQ(calls[0].flags, kDriverCall);
  EXPECT_EQ(calls[0].name, "wait");
  EXPECT_EQ(calls[0].number, 8);
  EXPECT_EQ(calls[1].call.source, kUpper);
  EXPECT_EQ(RoleOf(calls[1].call.role), CallRole::kCommunicate);
  EXPECT_EQ(calls[1].flags, 0);
  EXPECT_EQ(calls[1].call.result, 3);
}

// A source that begins to watch anew forgets its own open calls only.
TEST_F(CallLogs, AWatchIsOfOneSource) {
  const WatchedCall send = {&kSend, 1}, wait = {&kWait, 1};
  const uint64_t sent = g_upper.Begin(send);
  g_lower.Begin(wait);
  g_lower.BeginWatching(false);
  const uint64_t next = g_lower.Begin(wait);
  g_lower.End(wait, next, 0);
  g_upper.End(send, sent, 0);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u);
  for (const auto& call : calls) EXPECT_EQ(call.flags & kInnerCall, 0);
}

TEST_F(CallLogs, ArgumentsComeBeforeTheirCall) {
  const WatchedCall send = {&kSend, 1};
  for (int32_t peer = 0; peer < 3; ++peer) {
    const Sent sent = {4096, peer};
    g_upper.End(send, g_upper.Begin(send), 0, {&kSentSchema, &sent});
  }
  g_upper.End(send, g_upper.Begin(send), 0);
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 4u);
  for (int32_t peer = 0; peer < 3; ++peer) {
    EXPECT_NE(calls[peer].call.role & kCallHasPayload, 0);
    Sent sent;
    ASSERT_EQ(calls[peer].arguments.size(), sizeof(sent));
    std::memcpy(&sent, calls[peer].arguments.data(), sizeof(sent));
    EXPECT_EQ(sent.bytes, 4096u);
    EXPECT_EQ(sent.peer, peer);
  }
  EXPECT_EQ(calls[3].call.role & kCallHasPayload, 0);
  const auto schemas = ReadRecords(RecordKind::kSchema);
  EXPECT_EQ(schemas.size(), 1u) << "once a stream";
}

TEST_F(CallLogs, WithoutRoomForArgumentsTheCallIsStillRecorded) {
  const WatchedCall send = {&kSend, 1};
  const Sent sent = {1, 2};
  g_upper.End(send, g_upper.Begin(send), 0);  // the name is defined
  LimitRings(t_log->head + sizeof(CallRecord));
  g_upper.End(send, g_upper.Begin(send), 0, {&kSentSchema, &sent});
  const auto calls = ReadRecords(RecordKind::kCall);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].call.role & kCallHasPayload, 0);
  EXPECT_EQ(Losses(kLoss_definition), 1u);
}

TEST_F(CallLogs, ASchemaThatIsTooLargeIsALostDefinition) {
  const std::string name(1200, 'x');
  const ArgumentField field = {name.c_str(), ArgumentType::kUint64, 0};
  const ArgumentSchema schema = {kUpper, 2, "large", 8, &field, 1};
  const WatchedCall send = {&kSend, 1};
  const uint64_t value = 1;
  g_upper.End(send, g_upper.Begin(send), 0, {&schema, &value});
  EXPECT_EQ(Losses(kLoss_definition), 1u);
  EXPECT_EQ(ReadRecords(RecordKind::kCall).size(), 1u);
}

}  // namespace
}  // namespace syncline::test
