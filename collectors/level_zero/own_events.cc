// SPDX-License-Identifier: Apache-2.0
// Pools are made ahead of need, by the helper thread; where it is late, by the thread that takes
// one of the last events.
#include "collectors/level_zero/own_events.h"

#include <sys/mman.h>

#include "collectors/level_zero/handle_table.h"
#include "collectors/level_zero/objects.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t kFew = 192;
constexpr uint32_t kMaxContexts = 1024;

struct Place {
  std::atomic<Context*> context;
};
constinit HandleTable<Place, 4096> g_places;
std::atomic<Context*> g_contexts;
std::atomic<uint32_t> g_count;

Context* NewContext() {
  Context* contexts = MapOnce(&g_contexts, kMaxContexts);
  if (contexts == nullptr) return nullptr;
  if (g_count.load(std::memory_order_relaxed) >= kMaxContexts) return nullptr;
  const uint32_t index = g_count.fetch_add(1, std::memory_order_acq_rel);
  return index < kMaxContexts ? &contexts[index] : nullptr;
}

}  // namespace

Context* ContextOf(ze_context_handle_t handle) {
  Place* place = g_places.FindOrTake(handle);
  if (place == nullptr) return nullptr;
  Context* known = place->context.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  Context* context = NewContext();
  if (context == nullptr) return nullptr;
  context->Be(handle);
  // Of threads that come at once one makes it; what the others took is not used again.
  if (!place->context.compare_exchange_strong(known, context, std::memory_order_acq_rel))
    return known;
  context->Prepare();
  return context;
}

Context* ForgetContext(ze_context_handle_t handle) {
  Place* place = g_places.Find(handle);
  if (place == nullptr) return nullptr;
  Context* context = place->context.exchange(nullptr, std::memory_order_acq_rel);
  g_places.Erase(handle);
  return context;
}

template <typename Visit>
void EachContext(Visit visit) {
  Context* contexts = g_contexts.load(std::memory_order_acquire);
  const uint32_t count = g_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; contexts != nullptr && i < count && i < kMaxContexts; ++i)
    visit(&contexts[i]);
}

void RefillContexts() {
  EachContext([](Context* context) { context->Refill(); });
}

void BeginAskedEnds() {
  EachContext([](Context* context) { (void)context->BeginEnd(); });
}

void FinishAskedEnds() {
  EachContext([](Context* context) {
    if (context->FinishEnd()) (void)g_api.ContextDestroy(context->handle());
  });
}

void Context::Prepare() {
  if (pool_count_.load(std::memory_order_acquire) == 0) AddPool();
}

// Several threads may, each its own pool.
bool Context::AddPool() {
  const ErrnoKeeper keeper;
  if (pool_count_.load(std::memory_order_relaxed) >= kMaxPools) return false;
  const uint32_t place = pool_count_.fetch_add(1, std::memory_order_acq_rel);
  if (place >= kMaxPools || g_api.EventPoolCreate == nullptr || g_api.EventCreate == nullptr)
    return false;
  ze_event_pool_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  desc.count = kEventsPerPool;
  void* memory = SysMap(sizeof(OwnEvent) * kEventsPerPool, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (memory == nullptr) return false;
  Pool& pool = pools_[place];
  if (g_api.EventPoolCreate(handle_, &desc, 0, nullptr, &pool.handle) != ZE_RESULT_SUCCESS) {
    pool.handle = nullptr;
    SysUnmap(memory, sizeof(OwnEvent) * kEventsPerPool);
    return false;
  }
  pool.events = static_cast<OwnEvent*>(memory);
  for (uint32_t i = 0; i < kEventsPerPool; ++i) {
    ze_event_desc_t event{};
    event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
    event.index = i;
    if (g_api.EventCreate(pool.handle, &event, &pool.events[i].handle) != ZE_RESULT_SUCCESS)
      return i > 0;
    GiveBack(place * kEventsPerPool + i);
  }
  return true;
}

uint32_t Context::TakeEvent() {
  if (stage_.load(std::memory_order_relaxed) != Stage::kAlive) return kNone;
  const auto pop = [this] {
    return free_.Pop([this](uint32_t at) -> std::atomic<uint32_t>& { return EventAt(at).next; });
  };
  uint32_t event = pop();
  if (event == kNone && AddPool()) event = pop();
  if (event != kNone) free_count_.fetch_sub(1, std::memory_order_relaxed);
  return event;
}

void Context::GiveBack(uint32_t event) {
  free_.Push(event, [this](uint32_t at) -> std::atomic<uint32_t>& { return EventAt(at).next; });
  free_count_.fetch_add(1, std::memory_order_relaxed);
}

ze_event_handle_t Context::HandleOf(uint32_t event) const { return EventAt(event).handle; }

void Context::Refill() {
  if (g_books_are_old.load(std::memory_order_relaxed)) return;
  if (pool_count_.load(std::memory_order_acquire) == 0 ||
      stage_.load(std::memory_order_acquire) != Stage::kAlive) {
    return;
  }
  while (free_count_.load(std::memory_order_relaxed) < kFew && AddPool()) {
  }
}

void Context::AskEnd() { stage_.store(Stage::kEndAsked, std::memory_order_release); }

bool Context::BeginEnd() {
  Stage asked = Stage::kEndAsked;
  return stage_.compare_exchange_strong(asked, Stage::kEnding, std::memory_order_acq_rel);
}

bool Context::FinishEnd() {
  Stage ending = Stage::kEnding;
  if (!stage_.compare_exchange_strong(ending, Stage::kEnded, std::memory_order_acq_rel))
    return false;
  DestroyEvents();
  return true;
}

void Context::DestroyEvents() {
  if (g_books_are_old.load(std::memory_order_relaxed)) return;
  const uint32_t count = pool_count_.exchange(0, std::memory_order_acq_rel);
  for (uint32_t p = 0; p < count && p < kMaxPools; ++p) {
    if (pools_[p].handle == nullptr) continue;
    for (uint32_t i = 0; i < kEventsPerPool; ++i) {
      if (pools_[p].events[i].handle != nullptr)
        (void)g_api.EventDestroy(pools_[p].events[i].handle);
    }
    (void)g_api.EventPoolDestroy(pools_[p].handle);
    // Its memory stays: an operation that was not read may still name one of the events.
  }
}

}  // namespace syncline::level_zero
