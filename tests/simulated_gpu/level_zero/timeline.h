// SPDX-License-Identifier: Apache-2.0
// Time of operations: places the commands of queues and immediate lists on the engines of their
// device. All of it is guarded by the engine lock.
//
// A stream (a queue, or an immediate list) does one thing after the other. An operation's times are
// computed when it is submitted, unless it stands behind an event whose signal nobody knows yet, or
// behind a kernel that hangs: then the stream's operations wait in its line, and are placed when
// the signal becomes known.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/simulated_gpu/engine/lanes.h"
#include "tests/simulated_gpu/engine/observer.h"
#include "tests/simulated_gpu/level_zero/event_line.h"

namespace simgpu::level_zero {

struct Stream;

// What an event, or a fence, is to the timeline.
struct Semaphore {
  EventLine line;
  bool counter_based = false;  // a command that signals it takes its old signal away
  uint32_t host_waiters = 0;
  std::vector<std::shared_ptr<Stream>> blocked;  // streams whose first operation waits for it
};

enum class CommandKind : uint8_t { kKernel, kMemcpy, kMemset, kMark };

// As a program appended it.
struct Command {
  CommandKind kind = CommandKind::kMark;
  std::string name;
  CopyKind copy_kind = CopyKind::kUnknown;
  uint64_t bytes = 0;
  uint64_t duration_ns = 0;
  std::function<uint64_t()> late_duration;           // indirect launches: asked for when it begins
  std::function<void()> body;                        // moves the bytes
  std::function<void(uint64_t end_ns)> body_at_end;  // writes times; called with the lock held
  std::vector<std::shared_ptr<Semaphore>> waits;
  std::shared_ptr<Semaphore> signal, reset;
  std::shared_ptr<uint64_t> signal_since;  // the signal's times begin there, not with this command
  bool barrier = false;                    // what is behind it waits for all before it
  bool hangs = false;
  const char* call = "";  // the append
  uint64_t appended_ns = 0;
};

struct Operation {
  std::shared_ptr<const Command> command;
  std::shared_ptr<Stream> stream;  // until it is resolved
  uint64_t id = 0, queued_ns = 0;
  const char* call = "";  // the function that gave it to the device
  uint32_t thread = 0;
  uint64_t list = 0;  // number of the regular list it came from
  bool resolved = false;
  bool was_blocked = false;  // its times were not known when it was submitted
  uint64_t start_ns = 0, end_ns = 0;
  uint64_t waits_for = 0;  // id of the operation that ends last among those it comes after
  // Everything of the stream up to and with this is over then; and the id of what ended last.
  uint64_t over_ns = 0, over_id = 0;
};

// What one engine group of a device can do at once.
class Engine {
 public:
  explicit Engine(uint32_t slots) : slots_(slots), many_(slots > 1) {}
  uint64_t Place(uint64_t ready, uint64_t length, uint64_t now) {
    return many_ ? slots_.Place(ready, length) : one_.Place(ready, length, now);
  }
  bool overlaps() const { return many_; }

 private:
  CopyEngine one_;
  KernelSlots slots_;
  bool many_;
};

struct Stream {
  uint32_t id = 0, device = 0, ordinal = 0, sequence = 0;
  int sub_device = -1;
  uint64_t context = 0;
  bool in_order = false;
  std::shared_ptr<Engine> engine;

  std::deque<std::shared_ptr<Operation>> line;  // not placed yet
  std::shared_ptr<Operation> last;              // the last that was submitted
  uint64_t order_ns = 0;                        // the next operation does not begin before
  uint64_t tail_ns = 0, tail_id = 0;            // the end of all that was placed
};

std::mutex& EngineMutex();
using EngineLock = std::unique_lock<std::mutex>;

// Hooks of the timeline, so that it can be tested alone. Called under the lock.
struct TimelineHooks {
  void (*resolved)(const Operation& operation) = nullptr;
  void (*unresolved)(const Operation& operation) = nullptr;  // submitted, its end is not known
  void (*wake)() = nullptr;  // something that host threads wait for has become known
};
TimelineHooks& Hooks();

void Submit(const std::shared_ptr<Operation>& operation, uint64_t now);
// A signal or reset by the host.
void SignalNow(const std::shared_ptr<Semaphore>& semaphore, uint64_t now);
void ResetNow(const std::shared_ptr<Semaphore>& semaphore, uint64_t now);

// Moves bytes of the operations that were placed, in their order. Without the lock.
void MoveBytes();

}  // namespace simgpu::level_zero
