// SPDX-License-Identifier: Apache-2.0
// Calls by exported names; tasks as the vendor's tool interface tells of them.
#include "mu_hooks.h"

#include <dlfcn.h>

#include <atomic>

#include "inject/core/call_log.h"
#include "inject/core/clock.h"
#include "inject/core/collector.h"
#include "mu.h"

namespace syncline::mu {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_mu;
constexpr uint32_t kContext = 1;
constexpr uint32_t kNoEvent = UINT32_MAX;
constexpr CallName kSubmit("mu_submit", 9, static_cast<uint8_t>(CallRole::kLaunch), 1, false);
constexpr CallName kWait("mu_wait", 7, static_cast<uint8_t>(CallRole::kSynchronizeQueue), 2, false);

struct Submitted {
  uint32_t queue;
  uint32_t us;
};
constexpr ArgumentField kFields[] = {{"queue", ArgumentType::kUint32, 0},
                                     {"us", ArgumentType::kUint32, 4}};
constexpr ArgumentSchema kArguments = {kSource, 1, "submitted", sizeof(Submitted), kFields, 2};

constinit CallLog<kSource> g_calls;
std::atomic<uint32_t> g_correlation;  // the source's own: they begin at 1, as CUDA's do

struct Vendor {
  decltype(&mu_submit_tagged) submit;
  decltype(&mu_wait) wait;
  decltype(&mu_clock) clock;
  decltype(&mu_tell) tell;
  decltype(&mu_flush) flush;
};
constinit Vendor g_vendor = {};
std::atomic<bool> g_armed;

// A reading of device 0's clock, and what it is.
void TellDevice() {
  HookScope scope;
  if (!scope) return;
  DeviceClockRecord reading{};
  reading.head = {static_cast<uint8_t>(RecordKind::kDeviceClock), kSource, 1, 0 + 1};
  reading.before = Ticks();
  reading.device_ns = g_vendor.clock();
  reading.after = Ticks();
  constexpr char kName[] = "Made-up device";
  char text[sizeof(DeviceFacts) + sizeof(kName) - 1] = {};
  std::memcpy(text + sizeof(DeviceFacts), kName, sizeof(kName) - 1);
  if (!Emit(scope.log(), reading) ||
      !EmitText(scope.log(), RecordKind::kDevice, 0, 0, 0, kSource, text, sizeof(text)))
    CountLoss(kLoss_ring_full);
}

void OnTask(const mu_task* task) {
  HookScope scope;
  if (!scope) return;
  DeviceOpRecord op{};
  op.head = {static_cast<uint8_t>(RecordKind::kDeviceOp), 0, sizeof(op) / kSlotBytes,
             NameId(scope.log(), "task")};
  op.begin = task->begin;
  op.end = task->end;
  op.correlation = task->tag;
  op.device = task->device;
  op.context = kContext;
  op.stream = task->queue;
  op.type = DeviceOpType::kKernel;
  op.source = kSource;
  if (!Emit(scope.log(), op)) CountLoss(kLoss_ring_full);
}

// Which queue a call waited for, by the device's clock.
void TellSync(uint32_t correlation, uint32_t queue, uint64_t begin) {
  HookScope scope;
  if (!scope) return;
  DeviceEventRecord event{};
  event.head = {static_cast<uint8_t>(RecordKind::kDeviceEvent), 0, sizeof(event) / kSlotBytes,
                kNoEvent};
  event.type = DeviceEventType::kSync;
  event.detail = static_cast<uint8_t>(DeviceSyncKind::kStream);
  event.begin = begin;
  event.end = g_vendor.clock();
  event.correlation = correlation;
  event.context = kContext;
  event.stream = queue;
  event.source = kSource;
  if (!Emit(scope.log(), event)) CountLoss(kLoss_ring_full);
}

template <typename Function>
void Find(Function* function, const char* name) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void Arm() {
  Find(&g_vendor.submit, "mu_submit_tagged");
  Find(&g_vendor.wait, "mu_wait");
  Find(&g_vendor.clock, "mu_clock");
  Find(&g_vendor.tell, "mu_tell");
  Find(&g_vendor.flush, "mu_flush");
  if (g_vendor.submit == nullptr) return;
  g_vendor.tell(OnTask);
  g_calls.MarkWork(true);
  g_armed.store(true, std::memory_order_release);
}

void Flush(uint64_t /*until_ns*/) {
  if (g_armed.load(std::memory_order_acquire)) g_vendor.flush();
}

int Submit(uint32_t queue, uint32_t us) {
  static std::atomic<bool> told;
  if (!told.exchange(true, std::memory_order_relaxed)) TellDevice();
  const WatchedCall call = {&kSubmit, 1 + g_correlation.fetch_add(1, std::memory_order_relaxed)};
  const Submitted submitted = {queue, us};
  const uint64_t begun = g_calls.Begin(call);
  const int result = g_vendor.submit(queue, us, call.correlation);
  g_calls.End(call, begun, static_cast<uint32_t>(result), {&kArguments, &submitted});
  return result;
}

int Wait(uint32_t queue) {
  const WatchedCall call = {&kWait, 1 + g_correlation.fetch_add(1, std::memory_order_relaxed)};
  const uint64_t begun = g_calls.Begin(call);
  const uint64_t begin = g_vendor.clock();
  const int result = g_vendor.wait(queue);
  TellSync(call.correlation, queue, begin);
  g_calls.End(call, begun, static_cast<uint32_t>(result));
  return result;
}

bool Armed() { return g_armed.load(std::memory_order_acquire) && CollectorEnabled("mu"); }

}  // namespace syncline::mu

SYNCLINE_EXPORT int mu_submit(uint32_t queue, uint32_t us) {
  if (syncline::mu::Armed()) return syncline::mu::Submit(queue, us);
  const auto real = reinterpret_cast<decltype(&mu_submit)>(dlsym(RTLD_NEXT, "mu_submit"));
  return real == nullptr ? 1 : real(queue, us);
}

SYNCLINE_EXPORT int mu_wait(uint32_t queue) {
  if (syncline::mu::Armed()) return syncline::mu::Wait(queue);
  const auto real = reinterpret_cast<decltype(&mu_wait)>(dlsym(RTLD_NEXT, "mu_wait"));
  return real == nullptr ? 1 : real(queue);
}
