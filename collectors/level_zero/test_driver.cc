// SPDX-License-Identifier: Apache-2.0
// Events stay in memory until the test ends: who looks at one that was destroyed is caught.
#include "collectors/level_zero/test_driver.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "inject/core/clock.h"

namespace syncline::level_zero::test {
namespace {

struct FakeEvent {
  std::atomic<bool> alive{true};
  std::atomic<bool> signaled{false};
  std::atomic<uint64_t> begin{0}, end{0};
};

std::atomic<uint64_t> g_ahead{uint64_t{5} << 33};
std::atomic<uint64_t> g_alive;
char g_device_handles[32];
int g_devices;

constinit std::mutex g_mutex;
std::deque<FakeEvent>& AllEvents() {
  static auto* events = new std::deque<FakeEvent>;  // for whoever looks while the test ends
  return *events;
}

FakeEvent* Of(ze_event_handle_t handle) {
  auto* event = reinterpret_cast<FakeEvent*>(handle);
  if (!event->alive) {
    std::fputs("an event was used after its end\n", stderr);
    std::abort();
  }
  return event;
}

ze_result_t GetProperties(ze_device_handle_t, ze_device_properties_t* properties) {
  properties->timerResolution = kHertz;
  properties->kernelTimestampValidBits = kStampBits;
  properties->timestampValidBits = 36;
  std::strcpy(properties->name, "Test device");
  return ZE_RESULT_SUCCESS;
}

ze_result_t GetGlobalTimestamps(ze_device_handle_t, uint64_t* host, uint64_t* device) {
  *host = ReadClockNs(CLOCK_MONOTONIC_RAW);
  *device = TicksNow() & ((uint64_t{1} << 36) - 1);
  return ZE_RESULT_SUCCESS;
}

ze_result_t PoolCreate(ze_context_handle_t, const ze_event_pool_desc_t*, uint32_t,
                       ze_device_handle_t*, ze_event_pool_handle_t* out) {
  *out = reinterpret_cast<ze_event_pool_handle_t>(&g_alive);
  return ZE_RESULT_SUCCESS;
}
ze_result_t PoolDestroy(ze_event_pool_handle_t) { return ZE_RESULT_SUCCESS; }

ze_result_t EventCreate(ze_event_pool_handle_t, const ze_event_desc_t*, ze_event_handle_t* out) {
  *out = NewEvent();
  return ZE_RESULT_SUCCESS;
}
ze_result_t EventDestroy(ze_event_handle_t event) {
  Of(event)->alive = false;
  --g_alive;
  return ZE_RESULT_SUCCESS;
}
ze_result_t QueryStatus(ze_event_handle_t event) {
  return Of(event)->signaled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}
ze_result_t HostSynchronize(ze_event_handle_t event, uint64_t) { return QueryStatus(event); }
ze_result_t HostReset(ze_event_handle_t event) {
  Of(event)->signaled = false;
  return ZE_RESULT_SUCCESS;
}
ze_result_t QueryTimestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t* times) {
  constexpr uint64_t kMask = (uint64_t{1} << kStampBits) - 1;
  times->global.kernelStart = Of(event)->begin & kMask;
  times->global.kernelEnd = Of(event)->end & kMask;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void UseTestDriver() {
  g_api = {};
  g_api.DeviceGetProperties = GetProperties;
  g_api.DeviceGetGlobalTimestamps = GetGlobalTimestamps;
  g_api.EventPoolCreate = PoolCreate;
  g_api.EventPoolDestroy = PoolDestroy;
  g_api.EventCreate = EventCreate;
  g_api.EventDestroy = EventDestroy;
  g_api.EventQueryStatus = QueryStatus;
  g_api.EventHostSynchronize = HostSynchronize;
  g_api.EventHostReset = HostReset;
  g_api.EventQueryKernelTimestamp = QueryTimestamp;
}

ze_device_handle_t NewDevice() {
  return reinterpret_cast<ze_device_handle_t>(&g_device_handles[g_devices++]);
}

uint64_t TicksNow() {
  return g_ahead + static_cast<uint64_t>(static_cast<unsigned __int128>(MonotonicNs()) * kHertz /
                                         1'000'000'000);
}

void SetClockAhead(uint64_t ticks) { g_ahead = ticks; }

ze_event_handle_t NewEvent() {
  ++g_alive;
  const std::lock_guard lock(g_mutex);
  return reinterpret_cast<ze_event_handle_t>(&AllEvents().emplace_back());
}

void Signal(ze_event_handle_t event, uint64_t begin, uint64_t end) {
  Of(event)->begin = begin;
  Of(event)->end = end;
  Of(event)->signaled = true;
}

bool IsSignaled(ze_event_handle_t event) { return Of(event)->signaled; }

uint64_t EventsAlive() { return g_alive; }

}  // namespace syncline::level_zero::test
