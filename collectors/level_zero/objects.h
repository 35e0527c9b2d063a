// SPDX-License-Identifier: Apache-2.0
// What is known of the objects that the program made, by their handles.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/level_zero/api.h"
#include "collectors/level_zero/devices.h"
#include "collectors/level_zero/handle_table.h"
#include "collectors/level_zero/operations.h"
#include "collectors/level_zero/own_events.h"
#include "inject/core/thread_log.h"

namespace syncline::level_zero {

// A queue, or an immediate list.
struct Queue {
  Device* device = nullptr;
  uint32_t stream = 0;       // in records; 0: none
  bool synchronous = false;  // ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
  std::atomic<uint64_t> ticket{0};

  // A wait has seen all that was given to it up to this ticket. Of threads that come at once the
  // lower one may stay, which is on the safe side.
  void BeDrained(uint64_t up_to) {
    if (up_to > ticket.load(std::memory_order_relaxed))
      ticket.store(up_to, std::memory_order_release);
  }
  Drained drained() const { return {stream, ticket.load(std::memory_order_acquire)}; }
};

// A command that signals an event, in a list that is executed later: its event is signaled by the
// operation, or, where there is none, when all before it is done.
struct ListSignal {
  ze_event_handle_t event;
  uint32_t operation;
};

// A command list. What is appended is of one thread at a time: the program sees to it.
struct List {
  ze_context_handle_t context_handle = nullptr;
  Context* context = nullptr;
  Queue queue;  // of an immediate list; else its device
  bool immediate = false;
  bool captures = false;  // what is appended goes into a graph, and is not executed now
  // Of a list that is executed later, in their order: indices of the pages of commands
  // (commands.h).
  uint32_t first_page = kNone;
  uint32_t last_page = kNone;
};

// An event or a fence, in records.
struct Signal {
  uint32_t id = 0;                     // 0: not followed
  std::atomic<uint32_t> context{0};    // of the queue that signals it, as in records
  std::atomic<bool> was_asked{false};  // too early, since it is to be signaled
};

struct Event {
  std::atomic<uint64_t> execution{0};  // that signals it and was not read: 0, else as ToWord says
  LastEnd last;
  Signal signal;
  bool has_times = false;
  bool times_added = false;  // by us
  // Work that nobody reads may signal it yet, so what is read may be of that: since it was used
  // again too early, until the program resets it.
  std::atomic<bool> blind{false};
  std::atomic<ze_event_pool_handle_t> pool{nullptr};
  std::atomic<uint32_t> pool_number{0};
  const Context* context = nullptr;  // of an event without a pool
  bool counter_based = false;        // stands for its latest work alone, and is never reset
};

// Programs destroy pools and contexts without the events in them: these are not touched afterwards.
struct EventPool {
  std::atomic<uint32_t> events{0};  // that are in it
  bool has_times = false;
  bool times_added = false;  // by us
  bool counter_based = false;
  uint32_t number = 0;  // of all pools: a handle may come twice
  ze_context_handle_t context = nullptr;
  ze_event_pool_flags_t asked_flags = 0;  // by the program
};

struct Fence {
  Signal signal;
};

struct Kernel {
  KernelName name = {};
  std::atomic<uint32_t> group[3] = {};
};

struct Allocation {
  uint64_t bytes = 0;
  Device* device = nullptr;
  MemoryKind kind = MemoryKind::kUnknown;
};

struct Objects {
  HandleTable<Queue, 4096> queues;
  HandleTable<List, 16384> lists;
  HandleTable<Event, 262144> events;
  HandleTable<EventPool, 16384> pools;
  HandleTable<Fence, 16384> fences;
  HandleTable<Kernel, 65536> kernels;
  HandleTable<Allocation, 262144> allocations;
};
extern Objects g_objects;

// What the handle of an object that was just made stands for. Null: no room (counted).
template <typename Object, size_t kSlots>
Object* Keep(HandleTable<Object, kSlots>* table, const void* handle) {
  Object* object = table->Insert(handle);
  if (object == nullptr) CountLoss(kLoss_ze_untracked);
  return object;
}

// The program makes and destroys objects that we do not see (tables_watch.h): no event is touched
// any more. It stays true.
extern std::atomic<bool> g_books_are_old;

inline constexpr uint64_t ToWord(const Execution& execution) {
  return uint64_t{execution.number} << 32 | (execution.operation + 1);
}
inline constexpr Execution FromWord(uint64_t word) {
  return {static_cast<uint32_t>(word) - 1, static_cast<uint32_t>(word >> 32)};
}

// Numbers of streams and of events, from 1.
uint32_t NextStream();
uint32_t NextEventId();

// The context's pools are gone, with their events.
void ForgetPoolsOf(ze_context_handle_t context);

// A pool is about to go: reads what the events that are left in it were signaled for.
void ReadEventsOf(ze_event_pool_handle_t pool);

// The event is signaled by this execution, which was just given to a device.
void KeepExecution(Event* event, const Execution& execution);

// Reads what the event was signaled for, or counts it as lost: it is about to be used again. False:
// that is under way.
bool ReadBeforeReuse(Event* event);
// The same if the device is done with it; else it stays.
void ReadIfDone(Event* event);

// Around the vendor's function that destroys an event, or what events are in. False: the process
// ends and its events are being read: what is destroyed now would be read after its end, so it is
// left to the process's end.
class Destruction {
 public:
  Destruction();
  ~Destruction();
  Destruction(const Destruction&) = delete;
  Destruction& operator=(const Destruction&) = delete;
  explicit operator bool() const { return allowed_; }

 private:
  bool allowed_;
};

// At the process's end: reads what the program's events were signaled for. From now on no event is
// destroyed. Waits, at most until `until_ns` (MonotonicNs), for threads that destroy one.
void ReadProgramsEvents(uint64_t until_ns);

}  // namespace syncline::level_zero
