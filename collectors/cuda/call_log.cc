// SPDX-License-Identifier: Apache-2.0
// Which of a thread's open calls is the outermost is counted in its ThreadLog.
#include "collectors/cuda/call_log.h"

#include <atomic>

#include "inject/core/emit.h"

namespace syncline::cuda {
namespace {

std::atomic<bool> g_full;
std::atomic<uint32_t> g_last_launch;
std::atomic<bool> g_launches_are_lost;
std::atomic<bool> g_work_is_owed;

// ThreadLog::open_calls: how many calls are open, whether the outermost one made a node of a graph,
// and above them the watch under which the first of them began. Of calls that are open when a watch
// ends, the end is not seen.
constexpr uint64_t kMadeNode = uint64_t{1} << 31;
constexpr uint64_t kOneWatch = uint64_t{1} << 32;
std::atomic<uint64_t> g_watch;

uint64_t Count(uint64_t open_calls) { return open_calls % kMadeNode; }
uint64_t WatchOf(uint64_t open_calls) { return open_calls - open_calls % kOneWatch; }

// What BeginCall gives where it is no time stamp: it was not seen, or is not to be recorded.
constexpr uint64_t kNotSeen = 0;
constexpr uint64_t kNotRecorded = 1;

uint32_t NameIdOf(ThreadLog& log, const CallName& name) {
  return HandleNameId(log, &name, name.text, name.bytes);
}

// So that a call that never returns is seen. After it no other memory is touched until the exit.
void KeepOpen(ThreadLog& log, const GpuCall& call, uint64_t begin) {
  const uint32_t name = NameIdOf(log, *call.name);  // may move into a larger ring
  OpenCall& open = log.control->call;
  open.name.store(name, std::memory_order_relaxed);
  open.correlation.store(call.correlation, std::memory_order_relaxed);
  open.callback.store(call.callback, std::memory_order_relaxed);
  open.flags.store(call.driver ? kDriverCall : 0, std::memory_order_relaxed);
  open.begin.store(begin, std::memory_order_release);  // pairs with the consumer's acquire
}

// Of CallFlags.
uint8_t QueriedObject(const void* handle) {
  if (handle == nullptr) return 0;
  const uint64_t hash = reinterpret_cast<uintptr_t>(handle) * 0x9E3779B97F4A7C15ull;
  return static_cast<uint8_t>(kQueriedObject * (1 + (hash >> 32) % 62));
}

// Of CallFlags. Of calls inside of others the outermost one is marked.
uint8_t GivenWork(const GpuCall& call, uint64_t open_calls, uint32_t result) {
  const bool gave = call.name->makes_work && result == 0 && !call.empty && call.correlation != 0;
  if (!gave || open_calls % kOneWatch != 0) return 0;
  return g_work_is_owed.load(std::memory_order_relaxed) ? kGaveWork : 0;
}

}  // namespace

void BeginWatching(bool full) {
  g_full.store(full, std::memory_order_relaxed);
  g_watch.fetch_add(kOneWatch, std::memory_order_relaxed);
}

uint64_t BeginCall(const GpuCall& call) {
  HookScope scope;
  if (!scope) return kNotSeen;
  uint64_t& open = scope.log().open_calls;
  const uint64_t watch = g_watch.load(std::memory_order_relaxed);
  if (WatchOf(open) != watch) open = watch;
  const bool inner = Count(open++) > 0;
  if (inner && !g_full.load(std::memory_order_relaxed)) return kNotRecorded;
  const uint64_t begin = Ticks();
  if (!inner) KeepOpen(scope.log(), call, begin);
  return begin;
}

void EndCall(const GpuCall& call, uint64_t begun, uint32_t result) {
  const uint64_t end = Ticks();
  if (begun == kNotSeen) return;
  HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (Count(log.open_calls) == 0) return;  // begun in the parent of a fork
  const uint64_t open_calls = log.open_calls - 1;
  const bool inner = Count(open_calls) != 0;
  log.open_calls = inner ? open_calls : WatchOf(open_calls);
  if (!inner) log.control->call.begin.store(0, std::memory_order_relaxed);
  if (begun == kNotRecorded) return;
  const uint32_t name_id = NameIdOf(log, *call.name);
  char* room = Reserve(log, sizeof(CallRecord));
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  auto* record = reinterpret_cast<CallRecord*>(room);
  const uint8_t flags =
      static_cast<uint8_t>((call.driver ? kDriverCall : 0) | (inner ? kInnerCall : 0) |
                           QueriedObject(call.queried) | GivenWork(call, open_calls, result));
  record->head = {static_cast<uint8_t>(RecordKind::kCall), flags, 1, name_id};
  record->begin = begun;
  record->end = end;
  record->correlation = call.correlation;
  record->callback = call.callback;
  record->result = static_cast<uint16_t>(result > UINT16_MAX ? UINT16_MAX : result);
  Publish(log, sizeof(CallRecord));
  // Relaxed: a hint for the flush at exit.
  if (!call.name->makes_work || result != 0) return;
  g_last_launch.store(call.correlation, std::memory_order_relaxed);
  if (g_launches_are_lost.load(std::memory_order_relaxed)) CountLoss(kLoss_gpu_unfinished);
}

void NodeMade() {
  ThreadLog* log = t_log;  // not inside a call, or in a fork's child: nothing is open
  if (log != nullptr && Count(log->open_calls) != 0) log->open_calls |= kMadeNode;
}

void MarkWork(bool owed) { g_work_is_owed.store(owed, std::memory_order_relaxed); }

uint32_t LastLaunch() { return g_last_launch.load(std::memory_order_relaxed); }

void CountLaunchesAsLost() { g_launches_are_lost.store(true, std::memory_order_relaxed); }

}  // namespace syncline::cuda
