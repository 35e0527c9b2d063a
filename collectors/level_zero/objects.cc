// SPDX-License-Identifier: Apache-2.0
// The tables, and the reading of events that are about to be used again.
#include "collectors/level_zero/objects.h"

#include "inject/core/clock.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {

constinit Objects g_objects = {};
constinit std::atomic<bool> g_books_are_old{false};

namespace {

std::atomic<uint32_t> g_streams;
std::atomic<uint32_t> g_events;

// Sequentially consistent: whoever destroys counts itself and then looks whether the process ends;
// the end says so and then looks who destroys. One of them sees the other.
std::atomic<uint32_t> g_destroying;
std::atomic<bool> g_ending;

// What the event is in.
bool IsThere(const Event& event) {
  if (event.context != nullptr) return event.context->HasEvents();
  const EventPool* pool = g_objects.pools.Find(event.pool.load(std::memory_order_relaxed));
  return pool != nullptr && pool->number == event.pool_number.load(std::memory_order_relaxed);
}

}  // namespace

uint32_t NextStream() { return 1 + g_streams.fetch_add(1, std::memory_order_relaxed); }
uint32_t NextEventId() { return 1 + g_events.fetch_add(1, std::memory_order_relaxed); }

void ForgetPoolsOf(ze_context_handle_t context) {
  g_objects.pools.Each([context](void* handle, EventPool* pool) {
    if (pool->context != context) return;
    ReadEventsOf(static_cast<ze_event_pool_handle_t>(handle));
    g_objects.pools.Erase(handle);
  });
}

// Programs destroy the events first, as a rule, and nobody walks.
void ReadEventsOf(ze_event_pool_handle_t handle) {
  const EventPool* pool = g_objects.pools.Find(handle);
  if (pool == nullptr || pool->events.load(std::memory_order_relaxed) == 0) return;
  g_objects.events.Each([handle, pool](void*, Event* event) {
    if (event->pool.load(std::memory_order_relaxed) == handle &&
        event->pool_number.load(std::memory_order_relaxed) == pool->number)
      ReadBeforeReuse(event);
  });
}

void KeepExecution(Event* event, const Execution& execution) {
  if (event == nullptr || execution.operation == kNone) return;
  if (event->blind.load(std::memory_order_relaxed)) {
    Lose(execution, kLoss_ze_event_reused);
    return;
  }
  const uint64_t before = event->execution.exchange(ToWord(execution), std::memory_order_acq_rel);
  if (before == 0) return;
  if (event->counter_based) return Lose(FromWord(before), kLoss_ze_event_reused);
  // One list signals it twice: what is read may be of either.
  event->blind.store(true, std::memory_order_relaxed);
  event->execution.store(0, std::memory_order_relaxed);
  Lose(FromWord(before), kLoss_ze_event_reused);
  Lose(execution, kLoss_ze_event_reused);
}

bool ReadBeforeReuse(Event* event) {
  if (event == nullptr) return true;
  const uint64_t word = event->execution.exchange(0, std::memory_order_acq_rel);
  if (word == 0 || Read(FromWord(word)) != Outcome::kNotReady) return true;
  if (!event->counter_based) event->blind.store(true, std::memory_order_relaxed);
  Lose(FromWord(word), kLoss_ze_event_reused);
  return false;
}

void ReadIfDone(Event* event) {
  if (event == nullptr) return;
  uint64_t word = event->execution.load(std::memory_order_acquire);
  if (word == 0 || Read(FromWord(word)) == Outcome::kNotReady) return;
  event->execution.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
}

Destruction::Destruction() {
  g_destroying.fetch_add(1);
  allowed_ = !g_ending.load();
}

Destruction::~Destruction() { g_destroying.fetch_sub(1); }

void ReadProgramsEvents(uint64_t until_ns) {
  constexpr uint64_t kPauseNs = 50'000;
  g_ending.store(true);
  while (g_destroying.load() != 0) {
    if (MonotonicNs() >= until_ns) return;
    SysSleepNs(kPauseNs);
  }
  if (g_books_are_old.load()) return;
  g_objects.events.Each([](void*, Event* event) {
    if (IsThere(*event)) ReadIfDone(event);
  });
}

}  // namespace syncline::level_zero
