// SPDX-License-Identifier: Apache-2.0
// Which of a thread's open calls of the source is the outermost is counted in its ThreadLog.
#include "inject/core/call_log.h"

#include "inject/core/emit.h"

namespace syncline {
namespace {

// ThreadLog::open_calls: how many calls are open, whether the outermost one made a node of a graph,
// and above them the watch under which the first of them began. Of calls that are open when a watch
// ends, the end is not seen.
constexpr uint64_t kMadeNode = uint64_t{1} << 31;
constexpr uint64_t kOneWatch = uint64_t{1} << 32;

uint64_t Count(uint64_t open_calls) { return open_calls % kMadeNode; }
uint64_t WatchOf(uint64_t open_calls) { return open_calls - open_calls % kOneWatch; }

// What Begin gives where it is no time stamp: the call was not seen, or is not to be recorded.
constexpr uint64_t kNotSeen = 0;
constexpr uint64_t kNotRecorded = 1;

uint32_t NameIdOf(ThreadLog& log, const CallName& name) {
  return HandleNameId(log, &name, name.text, name.bytes, name.number);
}

// Of CallFlags.
uint8_t QueriedObject(const void* handle) {
  if (handle == nullptr) return 0;
  const uint64_t hash = reinterpret_cast<uintptr_t>(handle) * 0x9E3779B97F4A7C15ull;
  return static_cast<uint8_t>(kQueriedObject * (1 + (hash >> 32) % 62));
}

}  // namespace

void CallLog::BeginWatching(bool full) {
  full_.store(full, std::memory_order_relaxed);
  watch_.fetch_add(kOneWatch, std::memory_order_relaxed);
}

// So that a call that never returns is seen. After it no other memory is touched until the exit.
void CallLog::KeepOpen(ThreadLog& log, const WatchedCall& call, uint64_t begin) const {
  const uint32_t name = NameIdOf(log, *call.name);  // may move into a larger ring
  OpenCall& open = log.control->calls[source_];
  open.name.store(name, std::memory_order_relaxed);
  open.correlation.store(call.correlation, std::memory_order_relaxed);
  open.role.store(call.name->role, std::memory_order_relaxed);
  open.flags.store(call.name->driver ? kDriverCall : 0, std::memory_order_relaxed);
  open.begin.store(begin, std::memory_order_release);  // pairs with the consumer's acquire
}

// Of CallFlags. Of calls inside of others the outermost one is marked.
uint8_t CallLog::GivenWork(const WatchedCall& call, uint64_t open_calls, uint32_t result) const {
  const bool gave =
      GivesWork(RoleOf(call.name->role)) && result == 0 && !call.empty && call.correlation != 0;
  if (!gave || open_calls % kOneWatch != 0) return 0;
  return work_is_owed_.load(std::memory_order_relaxed) ? kGaveWork : 0;
}

uint64_t CallLog::Begin(const WatchedCall& call) {
  HookScope scope;
  if (!scope) return kNotSeen;
  uint64_t& open = scope.log().open_calls[source_];
  const uint64_t watch = watch_.load(std::memory_order_relaxed);
  if (WatchOf(open) != watch) open = watch;
  const bool inner = Count(open++) > 0;
  if (inner && !full_.load(std::memory_order_relaxed)) return kNotRecorded;
  const uint64_t begin = Ticks();
  if (!inner) KeepOpen(scope.log(), call, begin);
  return begin;
}

void CallLog::End(const WatchedCall& call, uint64_t begun, uint32_t result) {
  const uint64_t end = Ticks();
  if (begun == kNotSeen) return;
  HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  uint64_t& open = log.open_calls[source_];
  if (Count(open) == 0) return;  // begun in the parent of a fork
  const uint64_t open_calls = open - 1;
  const bool inner = Count(open_calls) != 0;
  open = inner ? open_calls : WatchOf(open_calls);
  if (!inner) log.control->calls[source_].begin.store(0, std::memory_order_relaxed);
  if (begun == kNotRecorded) return;
  const CallName& name = *call.name;
  const uint32_t name_id = NameIdOf(log, name);
  char* room = Reserve(log, sizeof(CallRecord));
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  auto* record = reinterpret_cast<CallRecord*>(room);
  const uint8_t flags =
      static_cast<uint8_t>((name.driver ? kDriverCall : 0) | (inner ? kInnerCall : 0) |
                           QueriedObject(call.queried) | GivenWork(call, open_calls, result));
  record->head = {static_cast<uint8_t>(RecordKind::kCall), flags, 1, name_id};
  record->begin = begun;
  record->end = end;
  record->correlation = call.correlation;
  record->source = source_;
  record->role = name.role;
  record->result = static_cast<uint16_t>(result > UINT16_MAX ? UINT16_MAX : result);
  Publish(log, sizeof(CallRecord));
  // Relaxed: a hint for the flush at exit.
  if (!GivesWork(RoleOf(name.role)) || result != 0) return;
  last_launch_.store(call.correlation, std::memory_order_relaxed);
  if (launches_are_lost_.load(std::memory_order_relaxed)) CountLoss(kLoss_gpu_unfinished);
}

void CallLog::NodeMade() {
  ThreadLog* log = t_log;  // not inside a call, or in a fork's child: nothing is open
  if (log != nullptr && Count(log->open_calls[source_]) != 0) log->open_calls[source_] |= kMadeNode;
}

}  // namespace syncline
