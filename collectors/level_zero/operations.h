// SPDX-License-Identifier: Apache-2.0
// Work that the program gave to devices and that has not been read yet.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/level_zero/devices.h"
#include "collectors/level_zero/free_list.h"
#include "collectors/level_zero/own_events.h"
#include "inject/core/record.h"
#include "inject/core/segment.h"

namespace syncline::level_zero {

inline constexpr uint32_t kMaxOperations = 65536;

struct KernelName {
  const char* text;  // lives as long as the process
  uint32_t bytes;
};

// The end that was read last from an event of the program's. An event that is given to work without
// a reset by the host, or whose reset is in a list, is signaled still by the work before, with its
// stamps; while the new work runs, perhaps with the new begin and the old end.
class LastEnd {
 public:
  // Whether this is another one; keeps it.
  bool Replace(uint64_t end) {
    const bool same =
        known_.load(std::memory_order_relaxed) && end_.load(std::memory_order_relaxed) == end;
    end_.store(end, std::memory_order_relaxed);
    known_.store(true, std::memory_order_relaxed);
    return !same;
  }

 private:
  std::atomic<uint64_t> end_{0};
  std::atomic<bool> known_{false};
};

// What does not change from one execution to the next.
struct WorkFacts {
  DeviceOpType type = DeviceOpType::kKernel;
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  bool async = false;
  uint64_t bytes = 0;
  KernelName kernel = {};
  uint32_t grid[3] = {};
  uint32_t block[3] = {};
};

// Where and when it was given to the device.
struct Submission {
  uint32_t correlation = 0;
  uint32_t stream = 0;
  Device* device = nullptr;
  uint64_t not_before_ns = 0;  // MonotonicNs, perhaps some milliseconds early
};

// An operation of a list that is executed again is the same one; its executions have numbers.
struct Execution {
  uint32_t operation = kNone;
  uint32_t number = 0;
};

// `own_event`: of `context`; kNone: the program's `event` gets its times. `repeats`: it is part of
// a list, and is executed any number of times. kNone: there are too many (counted).
uint32_t NewOperation(const WorkFacts& facts, Context* context, uint32_t own_event,
                      ze_event_handle_t event, bool repeats);

// It is not executed again, and goes when its last execution was read.
void DropOperation(uint32_t operation);

// The program's event that gets its times; null: one of ours does.
ze_event_handle_t ProgramsEventOf(uint32_t operation);

// The operation was just given to the device.
Execution Execute(uint32_t operation, const Submission& submission);

// How far the host knows from a wait that a stream's executions are over.
struct Drained {
  uint32_t stream = 0;
  uint64_t ticket = 0;
};
// Executions of operations get tickets, in their order: how many were given. What a wait that
// begins now has seen to its end has a ticket up to this.
uint64_t TicketsGiven();

// Before an operation of a list is given to the device again: what its last execution left is read,
// or lost (counted). Where executions that nobody reads may still signal its event, it is not
// followed until they are known to be over.
void PrepareAgain(uint32_t operation, const Drained& drained);

enum class Outcome : uint8_t { kRead, kNotReady, kGone };

// Writes the record of the execution into this thread's ring if the device is done with it. Any
// thread, as long as the event exists; it does not wait. kGone: another thread does, or did.
Outcome Read(const Execution& execution);

// Nobody will be able to read it (counted as `loss`), if nobody has.
void Lose(const Execution& execution, Loss loss);

// Reads what the device is done with, of all work that has an event of ours, but not of lists that
// may be executed again at any moment: their own thread reads that. Sees to it that contexts have
// free events. One thread at a time: where another does it, nothing is done.
void ReadFinished();

// The program destroys the context: reads what the device is done with in it. False: another thread
// reads at this moment, and ends the context, the vendor's too, when it is done with that.
bool EndContext(Context* context);

// At the process's end: reads what the device is done with, and nothing after that. False: another
// thread reads at this moment.
bool EndReading();

// What is not read is lost.
void CountUnread();

// How much work with an event of ours was not read yet.
uint32_t UnreadWork();

}  // namespace syncline::level_zero
