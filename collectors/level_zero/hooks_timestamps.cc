// SPDX-License-Identifier: Apache-2.0
// Questions about what we added to events and their pools: the program gets the answers that it
// would get without us.
#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/objects.h"

namespace syncline::level_zero::hooks {
namespace {

// An event as the program wanted one to be that has more with us, and signaled as that one is: the
// driver itself says what it answers about it. Made for one question, which is seldom asked.
class PlainTwin {
 public:
  PlainTwin(ze_event_handle_t handle, const Event& event);
  ~PlainTwin();
  PlainTwin(const PlainTwin&) = delete;
  PlainTwin& operator=(const PlainTwin&) = delete;
  ze_event_handle_t handle() const { return event_; }

 private:
  ze_event_pool_handle_t pool_ = nullptr;
  ze_event_handle_t event_ = nullptr;
};

PlainTwin::PlainTwin(ze_event_handle_t handle, const Event& event) {
  const EventPool* known = g_objects.pools.Find(event.pool.load(std::memory_order_relaxed));
  ze_context_handle_t context = known != nullptr ? known->context : nullptr;
  if (event.context != nullptr) context = event.context->handle();
  ze_event_pool_desc_t of_pool{};
  of_pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  of_pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
  if (known != nullptr) of_pool.flags = known->asked_flags;
  of_pool.count = 1;
  ze_event_desc_t of_event{};
  of_event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  if (context == nullptr ||
      g_api.EventPoolCreate(context, &of_pool, 0, nullptr, &pool_) != ZE_RESULT_SUCCESS) {
    pool_ = nullptr;
    return;
  }
  if (g_api.EventCreate(pool_, &of_event, &event_) != ZE_RESULT_SUCCESS) {
    event_ = nullptr;
  } else if (g_api.EventHostSynchronize(handle, 0) == ZE_RESULT_SUCCESS) {
    (void)g_api.EventHostSignal(event_);
  }
}

PlainTwin::~PlainTwin() {
  if (event_ != nullptr) (void)g_api.EventDestroy(event_);
  if (pool_ != nullptr) (void)g_api.EventPoolDestroy(pool_);
}

template <typename Ask>
ze_result_t AskAsAlone(ze_event_handle_t handle, Ask ask) {
  const Event* event = g_objects.events.Find(handle);
  if (event == nullptr || !event->times_added) return ask(handle);
  const PlainTwin twin(handle, *event);
  return twin.handle() != nullptr ? ask(twin.handle()) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

}  // namespace

ze_result_t EventQueryKernelTimestamp(ze_event_handle_t handle,
                                      ze_kernel_timestamp_result_t* times) {
  return AskAsAlone(handle, [&](ze_event_handle_t event) {
    return g_api.EventQueryKernelTimestamp(event, times);
  });
}

ze_result_t EventQueryTimestampsExp(QueryTimestamps real, ze_event_handle_t handle,
                                    ze_device_handle_t device, uint32_t* count, void* times) {
  return AskAsAlone(handle,
                    [&](ze_event_handle_t event) { return real(event, device, count, times); });
}

ze_result_t EventQueryKernelTimestampsExt(QueryTimestamps real, ze_event_handle_t handle,
                                          ze_device_handle_t device, uint32_t* count, void* times) {
  return EventQueryTimestampsExp(real, handle, device, count, times);
}

ze_result_t EventPoolGetFlags(GetPoolFlags real, ze_event_pool_handle_t handle,
                              ze_event_pool_flags_t* flags) {
  const ze_result_t result = real(handle, flags);
  const EventPool* pool = g_objects.pools.Find(handle);
  if (result == ZE_RESULT_SUCCESS && flags != nullptr && pool != nullptr && pool->times_added)
    *flags = pool->asked_flags;
  return result;
}

}  // namespace syncline::level_zero::hooks
