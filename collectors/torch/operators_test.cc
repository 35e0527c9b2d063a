// SPDX-License-Identifier: Apache-2.0
// Operators as a small PyTorch announces them, whose functions this program shows by their names:
// registered as at::addGlobalCallback takes it, named by at::RecordFunction::name.
#include "collectors/torch/operators.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "inject/core/emit.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

// As in PyTorch's header, with what it makes of it by default.
namespace at {

enum RecordScope : uint8_t { kFunction, kBackward, kTorchScript, kUser = 7, kScopes = 10 };
struct RecordFunction {
  std::string text;
  bool async = false;
  __attribute__((visibility("default"), noinline)) const char* name() const;
  __attribute__((visibility("default"), noinline)) bool isAsync() const;
};
struct RecordFunctionCallback {
  void** (*start)(void** context, const RecordFunction& function);
  void (*end)(const RecordFunction& function, void* context);
  double sampling_prob = 1.0;
  std::array<bool, kScopes> scopes = {};
  bool needs_inputs = false, needs_outputs = false, needs_ids = false;
};
__attribute__((visibility("default"))) uint64_t addGlobalCallback(RecordFunctionCallback callback);
__attribute__((visibility("default"))) void removeCallback(unsigned long handle);
__attribute__((visibility("default"))) void reenableCallback(unsigned long handle);
__attribute__((visibility("default"))) void disableCallback(unsigned long handle);

const char* RecordFunction::name() const { return text.c_str(); }
bool RecordFunction::isAsync() const { return async; }

struct Registered {
  RecordFunctionCallback callback;
  bool enabled;
};
std::vector<Registered>* g_registered = new std::vector<Registered>;  // NOLINT: handle: index + 1

uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  g_registered->push_back({callback, true});
  return g_registered->size();
}
void reenableCallback(unsigned long handle) { g_registered->at(handle - 1).enabled = true; }
void removeCallback(unsigned long handle) { disableCallback(handle); }
void disableCallback(unsigned long handle) { g_registered->at(handle - 1).enabled = false; }

}  // namespace at

namespace syncline::torch {
namespace {

using test::ReadTrace;
using test::Trace;
using test::TraceEvent;

// One that runs: PyTorch keeps those whom it has told of the begin.
class Running {
 public:
  explicit Running(const char* name, at::RecordScope scope = at::kFunction, bool async = false)
      : function_{name, async} {
    for (const auto& one : *at::g_registered) {
      if (one.enabled && one.callback.scopes[scope]) told_.push_back(one.callback);
    }
    for (const auto& callback : told_) {
      void* context = this;
      EXPECT_EQ(callback.start(&context, function_), &context);
      EXPECT_EQ(context, nullptr);
    }
  }
  ~Running() {
    for (const auto& callback : told_) callback.end(function_, nullptr);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  at::RecordFunction function_;
  std::vector<at::RecordFunctionCallback> told_;
};

class Operators : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Module here = ModuleThatShows("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE");
    ASSERT_NE(here.symbols, 0u);
    EXPECT_NE(ListenToTorch(ModuleThatShows("getpid"), {.operators = true}), nullptr)
        << "libc is no PyTorch";
    ASSERT_EQ(ListenToTorch(here, {.operators = true}), nullptr);
    for (const auto& one : *at::g_registered) {
      EXPECT_EQ(one.callback.sampling_prob, 1.0);
      EXPECT_FALSE(one.callback.needs_inputs || one.callback.needs_outputs ||
                   one.callback.needs_ids);
    }
  }
  void SetUp() override { test::ResetSession(); }
  void TearDown() override {
    EXPECT_EQ(ReadTrace().errors, std::vector<std::string>());
    EXPECT_EQ(test::AllLosses(), lost_);
    uint32_t depth;
    test::OpenRanges(&depth);
    EXPECT_EQ(depth, 0u);
  }
  uint64_t lost_ = 0;
};

TEST_F(Operators, NestInTheirDomains) {
  {
    const Running step("my step", at::kUser);
    const Running outer("aten::linear");
    { const Running inner("aten::addmm"); }
    const Running backward("AddmmBackward0", at::kBackward);
    const Running script("forward", at::kTorchScript);
  }
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.One(RecordKind::kRange, "my step").domain, "torch");
  for (const char* name : {"aten::linear", "aten::addmm", "AddmmBackward0", "forward"})
    EXPECT_EQ(trace.One(RecordKind::kRange, name).domain, "aten") << name;
  EXPECT_EQ(trace.One(RecordKind::kRange, "aten::addmm").depth, 2u);
  EXPECT_EQ(trace.One(RecordKind::kRange, "forward").depth, 3u);
}

TEST_F(Operators, WhatMayEndElsewhereIsInNoNesting) {
  {
    const Running around("around", at::kUser);
    const Running asynchronous("gloo:all_reduce", at::kUser, true);
    const Running inner("aten::add");
  }
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.Of(RecordKind::kRange).size(), 2u);
  EXPECT_EQ(trace.One(RecordKind::kRange, "aten::add").depth, 1u);
  EXPECT_EQ(trace.Of(RecordKind::kRangeStart).size(), 1u);
}

TEST_F(Operators, WhatMayEndElsewhereEndsOnAnyThread) {
  auto first = std::make_unique<Running>("gloo:broadcast", at::kUser, true);
  auto second = std::make_unique<Running>("gloo:all_reduce", at::kUser, true);
  std::thread([&] { first.reset(); }).join();
  second.reset();
  Trace trace = ReadTrace();
  const TraceEvent start = trace.One(RecordKind::kRangeStart, "gloo:broadcast");
  const TraceEvent other = trace.One(RecordKind::kRangeStart, "gloo:all_reduce");
  EXPECT_NE(start.end, other.end);
  EXPECT_NE(start.lane, other.lane);
  const std::vector<TraceEvent> ends = trace.Of(RecordKind::kRangeEnd);
  ASSERT_EQ(ends.size(), 2u);
  for (const TraceEvent& end : ends) {
    EXPECT_TRUE(end.end == start.end || end.end == other.end);
    EXPECT_GE(end.begin, other.begin);
  }
  EXPECT_NE(ends[0].end, ends[1].end);
}

// Requests of asyncio, each of which awaits within its range.
TEST_F(Operators, ATasksRangeEndsNoOthers) {
  auto first = std::make_unique<Running>("first", at::kUser);
  auto second = std::make_unique<Running>("second", at::kUser);
  auto third = std::make_unique<Running>("third", at::kUser);
  const uint64_t before = Ticks();
  first.reset();
  { const Running inner("aten::add"); }
  const uint64_t between = Ticks();
  third.reset();
  const uint64_t after = Ticks();
  second.reset();
  Trace trace = ReadTrace();
  const TraceEvent start = trace.One(RecordKind::kRangeStart, "first");
  const TraceEvent end = trace.One(RecordKind::kRangeEnd, "");
  EXPECT_EQ(start.end, end.end);
  EXPECT_LT(start.begin, before);
  EXPECT_GT(end.begin, before);
  EXPECT_LT(end.begin, between);
  EXPECT_GT(trace.One(RecordKind::kRange, "third").end, between);
  EXPECT_GT(trace.One(RecordKind::kRange, "second").end, after);
  EXPECT_EQ(trace.One(RecordKind::kRange, "second").depth, 0u);
  EXPECT_EQ(trace.One(RecordKind::kRange, "aten::add").depth, 2u);
}

TEST_F(Operators, TasksRangesKeepNoRow) {
  for (int i = 0; i < 10000; ++i) {
    auto first = std::make_unique<Running>("first", at::kUser);
    auto second = std::make_unique<Running>("second", at::kUser);
    first.reset();
  }
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.Of(RecordKind::kRangeStart).size(), 10000u);
}

TEST_F(Operators, MoreThatMayEndElsewhereThanAreKept) {
  std::vector<std::unique_ptr<Running>> open;
  for (int i = 0; i < 5000; ++i)
    open.push_back(std::make_unique<Running>("gloo:all_reduce", at::kUser, true));
  open.clear();
  const Running after("gloo:broadcast", at::kUser, true);
  Trace trace = ReadTrace();
  trace.One(RecordKind::kRangeStart, "gloo:broadcast");
  const size_t began = trace.Of(RecordKind::kRangeStart).size() - 1;
  EXPECT_EQ(trace.Of(RecordKind::kRangeEnd).size(), began);
  EXPECT_GT(began, 1000u);
  lost_ = 5000 - began;
  EXPECT_EQ(test::Losses(kLoss_too_many_open), lost_);
}

TEST_F(Operators, NamesAreKnownByTheirContent) {
  std::vector<std::string> wanted, names;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 40; ++i) {
      wanted.push_back("autograd::engine::evaluate_function: " + std::to_string(i));
      const Running one(wanted.back().c_str(), at::kBackward);
    }
    for (const char* name : {"", "a", "ab", "abc", "abcd", "aten::t", "aten::to", "aten::add"}) {
      wanted.emplace_back(name);
      const Running one(name);
    }
  }
  const Trace trace = ReadTrace();
  for (const TraceEvent& event : trace.Of(RecordKind::kRange)) names.push_back(event.name);
  EXPECT_EQ(names, wanted);
  EXPECT_LE(trace.definitions, 1 + 48 + 4) << "of the domain, and of each name about once";
}

}  // namespace
}  // namespace syncline::torch
