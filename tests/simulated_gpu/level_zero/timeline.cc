// SPDX-License-Identifier: Apache-2.0
// CodeLocations operations in time.
#include "tests/simulated_gpu/level_zero/timeline.h"

#include <algorithm>
#include <atomic>

namespace simgpu::level_zero {
namespace {

constexpr uint64_t kLaunchLatencyNs = 2000, kMarkLatencyNs = 500;

uint64_t next_operation_id = 0;  // under the engine lock

// Bodies of placed operations that did not run yet. A body may take long: it runs under a lock of
// its own, in the order in which the operations were placed.
struct Moves {
  std::mutex order;  // held while bodies run
  std::mutex mutex;  // of `waiting`; a leaf
  std::deque<std::function<void()>> waiting;
  std::atomic<uint64_t> open{0};  // bodies that have not returned
};
Moves& AllMoves() {
  static Moves& moves = *new Moves;  // leaked: threads may use it while the process exits
  return moves;
}

void QueueMove(const std::function<void()>& body) {
  Moves& moves = AllMoves();
  std::lock_guard<std::mutex> lock(moves.mutex);
  moves.waiting.push_back(body);
  moves.open.fetch_add(1, std::memory_order_relaxed);
}

using Ready = std::vector<std::shared_ptr<Stream>>;

// Streams that waited for a signal can go on.
void Unblock(Semaphore* semaphore, Ready* ready) {
  for (std::shared_ptr<Stream>& stream : semaphore->blocked) ready->push_back(std::move(stream));
  semaphore->blocked.clear();
  if (semaphore->host_waiters > 0 && Hooks().wake != nullptr) Hooks().wake();
}

// When the operation can begin: not before its stream's order and the signals it waits for.
// False: a signal is not known, and the stream is blocked by it.
bool FindReady(Operation* operation, uint64_t* ready_ns) {
  Stream& stream = *operation->stream;
  const Command& command = *operation->command;
  const bool mark = command.kind == CommandKind::kMark;
  uint64_t ready = operation->queued_ns + (mark ? kMarkLatencyNs : kLaunchLatencyNs);
  // A mark (a barrier, a signal, a fence) stands for all before it.
  const uint64_t order_ns = mark || command.barrier ? stream.tail_ns : stream.order_ns;
  ready = std::max(ready, order_ns);
  operation->waits_for = stream.tail_id;
  uint64_t latest = order_ns;
  for (const std::shared_ptr<Semaphore>& wait : command.waits) {
    const std::optional<Signal> signal = wait->line.SignaledFrom(ready);
    if (!signal) {
      wait->blocked.push_back(operation->stream);
      return false;
    }
    if (signal->ns > latest) {
      latest = signal->ns;
      operation->waits_for = signal->by;
    }
    ready = std::max(ready, signal->ns);
  }
  *ready_ns = ready;
  return true;
}

// The stream's order behind an operation that has its times.
void Advance(Operation* operation) {
  Stream& stream = *operation->stream;
  const Command& command = *operation->command;
  const bool mark = command.kind == CommandKind::kMark;
  if (operation->end_ns >= stream.tail_ns) {
    stream.tail_ns = operation->end_ns;
    stream.tail_id = mark ? operation->waits_for : operation->id;
  }
  // Where the engine does several things at once, commands of a list without order begin in the
  // order in which they were appended, and overlap.
  const bool overlaps = stream.engine->overlaps() && !stream.in_order && !mark;
  stream.order_ns = overlaps ? std::max(stream.order_ns, operation->start_ns) : stream.tail_ns;
  operation->over_ns = stream.tail_ns;
  operation->over_id = stream.tail_id;
}

void TakeEffect(const Operation& operation, Ready* ready) {
  const Command& command = *operation.command;
  const bool mark = command.kind == CommandKind::kMark;
  if (command.body) QueueMove(command.body);
  if (command.body_at_end) command.body_at_end(operation.end_ns);
  if (command.reset != nullptr) command.reset->line.ResetAt(operation.end_ns);
  if (command.signal == nullptr) return;
  const uint64_t start_ns =
      command.signal_since != nullptr ? *command.signal_since : operation.start_ns;
  command.signal->line.SignalAt({operation.end_ns, mark ? operation.over_id : operation.id, true,
                                 start_ns, operation.end_ns, operation.stream->device});
  Unblock(command.signal.get(), ready);
}

// CodeLocations the operations of the stream as far as that is possible.
void PlaceLine(const std::shared_ptr<Stream>& stream, uint64_t now, Ready* ready) {
  while (!stream->line.empty()) {
    const std::shared_ptr<Operation> operation = stream->line.front();
    const Command& command = *operation->command;
    uint64_t ready_ns = 0;
    if (command.hangs || !FindReady(operation.get(), &ready_ns)) return;
    stream->line.pop_front();
    const uint64_t length = command.late_duration ? command.late_duration() : command.duration_ns;
    const bool mark = command.kind == CommandKind::kMark;
    operation->start_ns = mark ? ready_ns : stream->engine->Place(ready_ns, length, now);
    operation->end_ns = operation->start_ns + length;
    Advance(operation.get());
    operation->resolved = true;
    if (Hooks().resolved != nullptr) Hooks().resolved(*operation);
    TakeEffect(*operation, ready);
    operation->stream.reset();  // the stream keeps its last operation
    if (operation->was_blocked && Hooks().wake != nullptr) Hooks().wake();
  }
}

void PlaceAll(Ready ready, uint64_t now) {
  while (!ready.empty()) {
    const std::shared_ptr<Stream> stream = ready.back();
    ready.pop_back();
    PlaceLine(stream, now, &ready);
  }
}

}  // namespace

std::mutex& EngineMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

TimelineHooks& Hooks() {
  static TimelineHooks hooks;
  return hooks;
}

void Submit(const std::shared_ptr<Operation>& operation, uint64_t now) {
  Stream& stream = *operation->stream;
  const Command& command = *operation->command;
  operation->id = ++next_operation_id;
  operation->queued_ns = now;
  stream.last = operation;
  if (command.signal != nullptr) {
    command.signal->line.Forget(now);
    if (command.signal->counter_based) command.signal->line.ResetAt(now);
  }
  if (command.reset != nullptr) command.reset->line.Forget(now);
  const bool first = stream.line.empty();
  stream.line.push_back(operation);
  if (first) PlaceAll({operation->stream}, now);
  if (operation->resolved) return;
  operation->was_blocked = true;
  if (Hooks().unresolved != nullptr) Hooks().unresolved(*operation);
}

void SignalNow(const std::shared_ptr<Semaphore>& semaphore, uint64_t now) {
  semaphore->line.Forget(now);
  semaphore->line.SignalAt({now, 0, false, 0, 0});
  Ready ready;
  Unblock(semaphore.get(), &ready);
  PlaceAll(std::move(ready), now);
}

void ResetNow(const std::shared_ptr<Semaphore>& semaphore, uint64_t now) {
  semaphore->line.Forget(now);
  semaphore->line.ResetAt(now);
}

void MoveBytes() {
  Moves& moves = AllMoves();
  if (moves.open.load(std::memory_order_acquire) == 0) return;
  std::lock_guard<std::mutex> order(moves.order);
  for (;;) {
    std::function<void()> body;
    {
      std::lock_guard<std::mutex> lock(moves.mutex);
      if (moves.waiting.empty()) return;
      body = std::move(moves.waiting.front());
      moves.waiting.pop_front();
    }
    body();
    moves.open.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace simgpu::level_zero
