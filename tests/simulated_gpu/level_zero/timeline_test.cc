// SPDX-License-Identifier: Apache-2.0
// Operations in time: streams, engines, events between them, and what hangs.
#include "tests/simulated_gpu/level_zero/timeline.h"

#include <gtest/gtest.h>

namespace simgpu::level_zero {
namespace {

constexpr uint64_t kLatency = 2000;  // of a launch
constexpr uint64_t kNow = 1'000'000;

struct Machine {
  std::shared_ptr<Engine> compute = std::make_shared<Engine>(1);
  std::shared_ptr<Engine> copy = std::make_shared<Engine>(1);

  std::shared_ptr<Stream> NewStream(const std::shared_ptr<Engine>& engine) {
    auto stream = std::make_shared<Stream>();
    stream->engine = engine;
    return stream;
  }
};

using Semaphores = std::vector<std::shared_ptr<Semaphore>>;

std::shared_ptr<Operation> Give(const std::shared_ptr<Stream>& stream, Command command,
                                uint64_t now = kNow) {
  auto operation = std::make_shared<Operation>();
  operation->command = std::make_shared<const Command>(std::move(command));
  operation->stream = stream;
  EngineLock lock(EngineMutex());
  Submit(operation, now);
  return operation;
}

Command Kernel(uint64_t length, std::shared_ptr<Semaphore> signal = nullptr,
               Semaphores waits = {}) {
  Command command;
  command.kind = CommandKind::kKernel;
  command.duration_ns = length;
  command.signal = std::move(signal);
  command.waits = std::move(waits);
  return command;
}

Command Mark(std::shared_ptr<Semaphore> signal, Semaphores waits = {}) {
  Command command;
  command.signal = std::move(signal);
  command.waits = std::move(waits);
  return command;
}

TEST(Timeline, AStreamDoesOneThingAfterTheOther) {
  Machine machine;
  const auto stream = machine.NewStream(machine.compute);
  const auto first = Give(stream, Kernel(500)), second = Give(stream, Kernel(300));
  EXPECT_EQ(first->start_ns, kNow + kLatency);
  EXPECT_EQ(first->end_ns, first->start_ns + 500);
  EXPECT_EQ(second->start_ns, first->end_ns);
  EXPECT_EQ(second->waits_for, first->id);
  EXPECT_EQ(second->over_id, second->id);
}

TEST(Timeline, StreamsOfOneEngineTakeTurnsAndEnginesOverlap) {
  Machine machine;
  const auto a = Give(machine.NewStream(machine.compute), Kernel(500));
  const auto b = Give(machine.NewStream(machine.compute), Kernel(500));
  const auto c = Give(machine.NewStream(machine.copy), Kernel(500));
  EXPECT_GE(b->start_ns, a->end_ns);
  EXPECT_EQ(c->start_ns, a->start_ns);
}

TEST(Timeline, ListsWithoutOrderOverlapWhereTheEngineLetsThem) {
  Machine machine;
  const auto many = std::make_shared<Engine>(4);
  const auto free = machine.NewStream(many), ordered = machine.NewStream(many);
  ordered->in_order = true;
  const auto a = Give(free, Kernel(500)), b = Give(free, Kernel(100));
  EXPECT_EQ(b->start_ns, a->start_ns);
  const auto barrier = Give(free, Mark(nullptr)), behind = Give(free, Kernel(100));
  EXPECT_EQ(barrier->end_ns, a->end_ns);
  EXPECT_EQ(barrier->over_id, a->id);
  EXPECT_EQ(behind->start_ns, a->end_ns);
  const auto c = Give(ordered, Kernel(500)), d = Give(ordered, Kernel(100));
  EXPECT_EQ(d->start_ns, c->end_ns);
}

TEST(Timeline, AnEventOrdersStreams) {
  Machine machine;
  const auto event = std::make_shared<Semaphore>();
  const auto first = Give(machine.NewStream(machine.compute), Kernel(500, event));
  const auto second = Give(machine.NewStream(machine.copy), Kernel(10, nullptr, {event}));
  EXPECT_EQ(second->start_ns, first->end_ns);
  EXPECT_EQ(second->waits_for, first->id);
}

TEST(Timeline, WorkBehindAnUnknownSignalIsPlacedWhenTheHostSignals) {
  Machine machine;
  const auto go = std::make_shared<Semaphore>(), done = std::make_shared<Semaphore>();
  const auto stream = machine.NewStream(machine.compute);
  const auto first = Give(stream, Kernel(100, nullptr, {go}));
  const auto second = Give(stream, Kernel(100, done));
  const auto third = Give(machine.NewStream(machine.copy), Kernel(100, nullptr, {done}));
  EXPECT_FALSE(first->resolved || second->resolved || third->resolved);
  const uint64_t later = kNow + 10'000'000;
  {
    EngineLock lock(EngineMutex());
    SignalNow(go, later);
  }
  ASSERT_TRUE(first->resolved && second->resolved && third->resolved);
  EXPECT_EQ(first->start_ns, later);
  EXPECT_EQ(first->waits_for, 0u);  // the host
  EXPECT_EQ(third->start_ns, second->end_ns);
}

TEST(Timeline, AnOldSignalLetsAWaiterPassUntilADeviceReset) {
  Machine machine;
  const auto event = std::make_shared<Semaphore>();
  const auto stream = machine.NewStream(machine.compute);
  const auto first = Give(stream, Kernel(100, event));
  Command reset;
  reset.reset = event;
  Give(stream, std::move(reset));
  const auto again = Give(stream, Kernel(100, event));
  // It looks behind the reset.
  const uint64_t late = first->end_ns + 1;
  const auto waiter = Give(machine.NewStream(machine.copy), Kernel(1, nullptr, {event}), late);
  EXPECT_EQ(waiter->start_ns, std::max(again->end_ns, late + kLatency));
  EXPECT_FALSE(event->line.SignaledAt(again->end_ns - 1));
}

TEST(Timeline, AMarkStandsForWhatIsBeforeIt) {
  Machine machine;
  const auto event = std::make_shared<Semaphore>(), fence = std::make_shared<Semaphore>();
  const auto kernel = Give(machine.NewStream(machine.compute), Kernel(500, event));
  const auto other = machine.NewStream(machine.copy);
  Give(other, Kernel(10));
  const auto mark = Give(other, Mark(fence, {event}));
  EXPECT_EQ(mark->end_ns, kernel->end_ns);
  EXPECT_EQ(mark->over_id, kernel->id);
  EXPECT_EQ(fence->line.SignaledFrom(0)->by, kernel->id);
}

TEST(Timeline, WhatHangsHoldsUpItsStreamAlone) {
  Machine machine;
  const auto stream = machine.NewStream(machine.compute);
  Command hung = Kernel(100);
  hung.hangs = true;
  const auto first = Give(stream, std::move(hung)), second = Give(stream, Kernel(100));
  EXPECT_FALSE(first->resolved || second->resolved);
  EXPECT_TRUE(Give(machine.NewStream(machine.compute), Kernel(100))->resolved);
  stream->line.clear();  // they own each other
  stream->last.reset();
}

TEST(Timeline, ACounterBasedEventNeedsNoReset) {
  Machine machine;
  const auto event = std::make_shared<Semaphore>();
  event->counter_based = true;
  event->line.SignalAt({});
  EXPECT_TRUE(event->line.SignaledAt(kNow));
  const auto stream = machine.NewStream(machine.compute);
  const auto first = Give(stream, Kernel(100, event));
  EXPECT_FALSE(event->line.SignaledAt(first->end_ns - 1));
  const auto second = Give(stream, Kernel(100, event), first->end_ns + 10);
  EXPECT_FALSE(event->line.SignaledAt(second->end_ns - 1));
  EXPECT_TRUE(event->line.SignaledAt(second->end_ns));
}

TEST(Timeline, TheTimesOfASignalBeginWhereItIsTold) {
  Machine machine;
  const auto event = std::make_shared<Semaphore>();
  const auto stream = machine.NewStream(machine.compute);
  const auto first = Give(stream, Kernel(100));
  Command mark = Mark(event);
  mark.signal_since = std::make_shared<uint64_t>(first->start_ns);
  Give(stream, std::move(mark));
  const auto times = event->line.TimesAt(first->end_ns + kLatency);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->start_ns, first->start_ns);
  EXPECT_EQ(times->end_ns, first->end_ns);
}

TEST(Timeline, BytesMoveInTheOrderOfThePlaces) {
  Machine machine;
  const auto go = std::make_shared<Semaphore>();
  const auto stream = machine.NewStream(machine.compute);
  std::string order;
  const auto copy = [&](char what, Semaphores waits) {
    Command command = Kernel(100, nullptr, std::move(waits));
    command.body = [&order, what] { order += what; };
    return command;
  };
  Give(stream, copy('b', {go}));
  Give(stream, copy('c', {}));
  Give(machine.NewStream(machine.copy), copy('a', {}));
  MoveBytes();
  EXPECT_EQ(order, "a");
  {
    EngineLock lock(EngineMutex());
    SignalNow(go, kNow + 5);
  }
  MoveBytes();
  EXPECT_EQ(order, "abc");
}

}  // namespace
}  // namespace simgpu::level_zero
