// SPDX-License-Identifier: Apache-2.0
// The records of a program's calls of one source's library, however a collector sees them: one at
// each call's end. On the program's threads, inside its calls: no lock, no heap, no call of it.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/core/arguments.h"
#include "inject/core/call_stacks.h"
#include "inject/core/device_times.h"
#include "inject/core/emit.h"
#include "inject/core/helper_thread.h"
#include "inject/core/record.h"
#include "inject/core/sys.h"

namespace syncline {

// What a log needs to know of a call; all that its role implies is worked out once.
struct CallName {
  constexpr CallName() = default;
  // `name` is a constant. `its_role`: a CallRole, with kCallIsAsync. `its_number`: the vendor's, in
  // its API; 0: none.
  constexpr CallName(const char* name, size_t length, uint8_t its_role, uint16_t its_number,
                     bool driver)
      : text(name),
        bytes(static_cast<uint16_t>(length)),
        number(its_number),
        role(its_role),
        flags(driver ? kDriverCall : 0),
        gives_work(GivesWork(RoleOf(its_role))),
        gives_several(RoleOf(its_role) == CallRole::kGraphLaunch),
        queries(RoleOf(its_role) == CallRole::kQuery) {}

  const char* text = nullptr;
  uint16_t bytes = 0;
  uint16_t number = 0;
  uint8_t role = 0;
  uint8_t flags = 0;  // of CallFlags
  bool gives_work = false;
  bool gives_several = false;  // operations of a device, not one
  bool queries = false;
};

struct WatchedCall {
  const CallName* name;
  uint32_t correlation;           // 0: none
  const void* queried = nullptr;  // of a query: the handle whose state is asked for
  bool empty = false;             // nothing is to be copied or set
};

struct TypedArguments {
  const ArgumentSchema* schema;
  const void* values;
};

// Constant-initialised. Any thread. Calls inside calls of the same source are
// nested; those of two sources do not see each other. Which of a thread's open calls is the
// outermost is counted in its ThreadLog.
// The source is a constant because each call of the program pays for what is computed from it.
template <Source kSource>
class CallLog {
 public:
  // From now on another watcher sees the calls: it may not see the end of those that are open.
  // `full`: calls inside calls are recorded too.
  void BeginWatching(bool full);

  // What is to be given to End.
  uint64_t Begin(const WatchedCall& call);
  void End(const WatchedCall& call, uint64_t begun, uint32_t result) {
    Finish<false>(call, begun, result, {});
  }
  void End(const WatchedCall& call, uint64_t begun, uint32_t result, TypedArguments arguments) {
    Finish<true>(call, begun, result, arguments);
  }

  // The call that this thread is inside of made a node of a graph: its work is captured, not done.
  void NodeMade();
  // Whether the outermost call that this thread is inside of makes an executable graph.
  bool Instantiates() const;

  // At the end of a call, before End: whether it is the outermost one of this thread, is recorded,
  // and put what it did into a queue, not into a graph.
  bool IsInQueue(uint64_t begun) const;

  // `owed`: a record of all work is to come, so from now on calls that give a device work are
  // marked; else no longer.
  void MarkWork(bool owed) { work_is_owed_.store(owed, std::memory_order_relaxed); }

  // Correlation of the last call that gave a device work, on any thread; 0: none yet.
  uint32_t LastLaunch() const { return last_launch_.load(std::memory_order_relaxed); }

  // Whether the call of this correlation was recorded, in a process with a gate; now and then also
  // said of one that was not, and always where BeginWatching found no memory.
  bool WasRecorded(uint32_t correlation) const {
    const std::atomic<uint8_t>* marks = recorded_.load(std::memory_order_acquire);
    return marks == nullptr ||
           marks[correlation % kRemembered].load(std::memory_order_relaxed) == MarkOf(correlation);
  }

  // From now on no more device records will be fetched: what is launched is counted as lost.
  void CountLaunchesAsLost() { at_call_.fetch_or(kCountAsLost, std::memory_order_relaxed); }

  // The next call that succeeds, on any thread, wakes the collector's helper, once. So a helper
  // that seldom looks hears of new work, and of work that was waited for.
  void WakeHelperAtCall() { at_call_.fetch_or(kWakeHelper, std::memory_order_relaxed); }
  // No call succeeded since. Relaxed: WakeHelper's bell orders it.
  bool WakesHelperAtCall() const {
    return (at_call_.load(std::memory_order_relaxed) & kWakeHelper) != 0;
  }

 private:
  template <bool kHasArguments>
  void Finish(const WatchedCall& call, uint64_t begun, uint32_t result, TypedArguments arguments);
  // Each correlation has a place that later ones take over, and says by its mark whose it is.
  static constexpr uint32_t kRemembered = 1 << 20;
  static uint8_t MarkOf(uint32_t correlation) {
    return static_cast<uint8_t>(1 + correlation / kRemembered % 255);
  }
  void Remember(uint32_t correlation) {
    std::atomic<uint8_t>* marks = recorded_.load(std::memory_order_relaxed);
    if (marks != nullptr)
      marks[correlation % kRemembered].store(MarkOf(correlation), std::memory_order_relaxed);
  }

  static void AddToRow(ThreadLog& log, const WatchedCall& call, uint64_t begun, uint64_t end,
                       uint32_t result);

  enum AtCall : uint8_t { kCountAsLost = 1, kWakeHelper = 2 };
  void DoAtCall(bool gives_work);

  static bool LeavesOut(const WatchedCall& call);
  static void KeepOpen(ThreadLog& log, const WatchedCall& call, uint64_t begin, uint32_t stack);
  // The stack that KeepOpen was given for the thread's outermost call; 0: none.
  static uint32_t StackOf(const ThreadLog& log, uint64_t begun);

  std::atomic<bool> full_{false};
  std::atomic<uint8_t> at_call_{0};  // what is due at its end
  std::atomic<bool> work_is_owed_{false};
  std::atomic<uint32_t> last_launch_{0};
  std::atomic<uint64_t> watch_{0};
  std::atomic<std::atomic<uint8_t>*> recorded_{nullptr};  // never given back
};

// The words of ThreadLog::open_calls.
namespace open_calls {

// How many calls are open, whether the outermost one made a node of a graph, and above them the
// watch under which the first of them began. A call that is open when a watch ends is not seen to
// end.
inline constexpr uint64_t kMadeNode = uint64_t{1} << 31;
inline constexpr uint64_t kOneWatch = uint64_t{1} << 32;

inline uint64_t Count(uint64_t open_calls) { return open_calls % kMadeNode; }
inline uint64_t WatchOf(uint64_t open_calls) { return open_calls - open_calls % kOneWatch; }

// What Begin gives where it is no time stamp: the call was not seen, or is not to be recorded.
inline constexpr uint64_t kNotSeen = 0;
inline constexpr uint64_t kNotRecorded = 1;
inline constexpr uint64_t kLeftOut =
    2;  // the gate is closed: not counted among the open calls either

inline uint16_t ResultOf(uint32_t result) {
  return static_cast<uint16_t>(result > UINT16_MAX ? UINT16_MAX : result);
}

// A row of queries goes on while the program asks the next one within a pause of so many ticks (11
// to 16 us, by the rate of the processor's clock), and is one record for so long at most (11 to 16
// ms).
inline constexpr uint64_t kRowPause = 1 << 15;
inline constexpr uint64_t kRowLength = 1 << 25;
static_assert(sizeof(CallRecord) + sizeof(CallStack) == kHeldBytes);

// Adds a query to the row that the thread holds. False: it begins another one.
inline bool GoesOn(const ThreadLog& log, const CallRecord& query) {
  char* held = Held(log);
  if (held == nullptr) return false;
  auto* row = reinterpret_cast<CallRecord*>(held);
  auto* tail = reinterpret_cast<CallStack*>(held + sizeof(CallRecord));
  // What was recorded between them ended the row; of a range that was begun there is no record yet.
  const bool has_range = log.depth != 0 && log.stack[log.depth - 1].begin > row->begin;
  if (has_range || row->head.id != query.head.id || row->head.flags != query.head.flags ||
      row->result != query.result || row->source != query.source ||
      query.begin - row->end > kRowPause || query.end - row->begin > kRowLength ||
      tail->queries == UINT16_MAX)
    return false;
  row->end = query.end;
  row->correlation = query.correlation;
  ++tail->queries;
  return true;
}

// Always inline: each is a part of the two functions that every call of the program runs.
inline __attribute__((always_inline)) uint32_t NameIdOf(ThreadLog& log, const CallName& name) {
  return HandleNameId(log, &name, name.text, name.bytes, name.number);
}

// The flag for the object that a query asks about (CallFlags).
inline uint8_t QueriedObject(const void* handle) {
  if (handle == nullptr) return 0;
  const uint64_t hash = reinterpret_cast<uintptr_t>(handle) * 0x9E3779B97F4A7C15ull;
  return static_cast<uint8_t>(kQueriedObject * (1 + (hash >> 32) % 62));
}

}  // namespace open_calls

template <Source kSource>
void CallLog<kSource>::BeginWatching(bool full) {
  full_.store(full, std::memory_order_relaxed);
  const HookScope scope;
  const bool gated = scope && (scope.log().busy & kHasGate) != 0;
  if (gated && recorded_.load(std::memory_order_relaxed) == nullptr) {
    void* memory = SysMap(kRemembered, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    recorded_.store(static_cast<std::atomic<uint8_t>*>(memory), std::memory_order_release);
  }
  watch_.fetch_add(open_calls::kOneWatch, std::memory_order_relaxed);
}

// So that a call that never returns is seen. After it no other memory is touched until the exit.
template <Source kSource>
inline __attribute__((always_inline)) void CallLog<kSource>::KeepOpen(ThreadLog& log,
                                                                      const WatchedCall& call,
                                                                      uint64_t begin,
                                                                      uint32_t stack) {
  const uint32_t name = open_calls::NameIdOf(log, *call.name);  // may move into a larger ring
  OpenCall& open = log.control->calls[kSource];
  open.name.store(name, std::memory_order_relaxed);
  open.correlation.store(call.correlation, std::memory_order_relaxed);
  open.role.store(call.name->role, std::memory_order_relaxed);
  open.flags.store(call.name->flags, std::memory_order_relaxed);
  open.stack.store(stack, std::memory_order_relaxed);
  open.begin.store(begin, std::memory_order_release);  // pairs with the consumer's acquire
}

// After a change of segments the thread's calls are others, or none.
template <Source kSource>
inline __attribute__((always_inline)) uint32_t CallLog<kSource>::StackOf(const ThreadLog& log,
                                                                         uint64_t begun) {
  const OpenCall& open = log.control->calls[kSource];
  if (open.begin.load(std::memory_order_relaxed) != begun) return 0;
  return open.stack.load(std::memory_order_relaxed);
}

// A call that begins while the gate is closed, inside no recorded one, costs no more than this
// look. The calls inside it have its correlation, and are not counted again.
template <Source kSource>
inline __attribute__((always_inline)) bool CallLog<kSource>::LeavesOut(const WatchedCall& call) {
  ThreadLog* log = t_log;  // all zeros in a fork's child
  if (__builtin_expect(log == nullptr || (log->busy & kHasGate) == 0 || !IsClosedFor(*log), 1))
    return false;
  if (open_calls::Count(log->open_calls[kSource]) != 0) return false;
  if (call.correlation == 0 || call.correlation != log->left_out_call)
    CountGated(*log, kGatedCalls);
  if (AsksForDeviceTime(*log) && call.name->gives_work) MissLaunch(*log);
  log->left_out_call = call.correlation;
  return true;
}

template <Source kSource>
uint64_t CallLog<kSource>::Begin(const WatchedCall& call) {
  if (LeavesOut(call)) return open_calls::kLeftOut;
  HookScope scope;
  if (!scope) return open_calls::kNotSeen;
  uint64_t& open = scope.log().open_calls[kSource];
  const uint64_t watch = watch_.load(std::memory_order_relaxed);
  if (open_calls::WatchOf(open) != watch) open = watch;
  const bool inner = open_calls::Count(open++) > 0;
  if (inner && !full_.load(std::memory_order_relaxed)) return open_calls::kNotRecorded;
  if (__builtin_expect(IsClosedFor(scope.log()), 0)) {
    if (!inner) CountGated(scope.log(), kGatedCalls);
    if (AsksForDeviceTime(scope.log()) && call.name->gives_work) MissLaunch(scope.log());
    return open_calls::kNotRecorded;
  }
  // Of a row of queries the first one says where the program waits.
  const bool again = call.queried != nullptr && call.queried == scope.log().queried;
  const CallRole role = RoleOf(call.name->role);
  uint32_t stack = inner || again ? 0 : StackOfCall(scope.log(), role);
  uint64_t begin = Ticks();
  if (inner) return begin;
  if (__builtin_expect(call.name->gives_work && IsStackDue(scope.log(), role, begin), 0)) {
    stack = StackOfWork(scope.log(), begin);
    begin = Ticks();
  }
  if (stack != 0) {
    scope.log().stack_at = begin;
    if (stack > scope.log().last_stack) scope.log().last_stack = stack;
  }
  KeepOpen(scope.log(), call, begin, stack);
  if (__builtin_expect((scope.log().busy & kHasGate) != 0, 0)) Remember(call.correlation);
  // Before the call: what is short may be known before it returns.
  if (AsksForDeviceTime(scope.log()) && call.name->gives_work)
    FollowLaunch(scope.log(), kSource, call.correlation, call.name->gives_several);
  return begin;
}

template <Source kSource>
template <bool kHasArguments>
void CallLog<kSource>::Finish(const WatchedCall& call, uint64_t begun, uint32_t result,
                              TypedArguments arguments) {
  if (begun == open_calls::kLeftOut) return;
  const uint64_t end = Ticks();
  if (begun == open_calls::kNotSeen) return;
  HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  uint64_t& open = log.open_calls[kSource];
  if (open_calls::Count(open) == 0) return;  // begun in the parent of a fork
  const uint64_t open_calls = open - 1;
  const bool inner = open_calls::Count(open_calls) != 0;
  open = inner ? open_calls : open_calls::WatchOf(open_calls);
  const uint32_t stack = inner ? 0 : StackOf(log, begun);
  if (!inner) log.control->calls[kSource].begin.store(0, std::memory_order_relaxed);
  if (begun == open_calls::kNotRecorded) return;
  const CallName& name = *call.name;
  if (name.gives_work) log.worked_at = end;
  const void* last_queried = log.queried;
  if (!inner) log.queried = name.queries && result != 0 ? call.queried : nullptr;
  const bool again = !kHasArguments && !inner && stack == 0 && log.queried != nullptr &&
                     log.queried == last_queried;
  if (__builtin_expect(again, 0)) return AddToRow(log, call, begun, end, result);
  // The outermost call is marked, not those inside; nor one that made a node of a graph.
  const bool gave = name.gives_work && result == 0 && !call.empty && call.correlation != 0 &&
                    open_calls % open_calls::kOneWatch == 0;
  if (AsksForDeviceTime(log) && name.gives_work && !inner && !gave)
    RetractLaunch(kSource, call.correlation);
  // Before the record; they may move the ring.
  const bool has_arguments =
      kHasArguments && EmitArguments(log, *arguments.schema, begun, arguments.values);
  const uint32_t name_id = open_calls::NameIdOf(log, name);
  const uint64_t bytes = sizeof(CallRecord) + (stack != 0 ? sizeof(CallStack) : 0);
  char* room = Reserve(log, bytes);
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  auto* record = reinterpret_cast<CallRecord*>(room);
  const bool owed = gave && work_is_owed_.load(std::memory_order_relaxed);
  const auto flags =
      static_cast<uint8_t>(name.flags | (inner ? kInnerCall : 0) |
                           open_calls::QueriedObject(call.queried) | (owed ? kGaveWork : 0));
  record->head = {static_cast<uint8_t>(RecordKind::kCall), flags,
                  static_cast<uint16_t>(bytes / kSlotBytes), name_id};
  record->begin = begun;
  record->end = end;
  record->correlation = call.correlation;
  record->source = kSource;
  record->role = static_cast<uint8_t>(name.role | (has_arguments ? kCallHasPayload : 0));
  record->result = open_calls::ResultOf(result);
  if (__builtin_expect(stack != 0, 0)) {
    const CallStack tail = {stack, 0, {}};
    std::memcpy(room + sizeof(CallRecord), &tail, sizeof(tail));
  }
  Publish(log, bytes);
  if (result != 0) return;
  // Relaxed: a hint for the flush at exit.
  if (__builtin_expect(name.gives_work, 1))
    last_launch_.store(call.correlation, std::memory_order_relaxed);
  if (__builtin_expect(at_call_.load(std::memory_order_relaxed) != 0, 0)) DoAtCall(name.gives_work);
}

// A query like the one before: a program that asks without end makes one record of thousands.
template <Source kSource>
__attribute__((noinline)) void CallLog<kSource>::AddToRow(ThreadLog& log, const WatchedCall& call,
                                                          uint64_t begun, uint64_t end,
                                                          uint32_t result) {
  const CallName& name = *call.name;
  CallRecord query{};
  query.head = {static_cast<uint8_t>(RecordKind::kCall),
                static_cast<uint8_t>(name.flags | open_calls::QueriedObject(call.queried)),
                kHeldBytes / kSlotBytes, open_calls::NameIdOf(log, name)};
  query.begin = begun;
  query.end = end;
  query.correlation = call.correlation;
  query.source = kSource;
  query.role = name.role;
  query.result = open_calls::ResultOf(result);
  if (open_calls::GoesOn(log, query)) return;
  PublishHeld(log);
  char* room = Reserve(log, kHeldBytes);
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  const CallStack tail = {0, 1, {}};
  std::memcpy(room, &query, sizeof(query));
  std::memcpy(room + sizeof(query), &tail, sizeof(tail));
  Hold(log);
}

template <Source kSource>
__attribute__((noinline)) void CallLog<kSource>::DoAtCall(bool gives_work) {
  const uint8_t asked = at_call_.fetch_and(kCountAsLost, std::memory_order_relaxed);
  if (gives_work && (asked & kCountAsLost) != 0) CountLoss(kLoss_gpu_unfinished);
  if ((asked & kWakeHelper) != 0) WakeHelper(kSource);
}

template <Source kSource>
void CallLog<kSource>::NodeMade() {
  ThreadLog* log = t_log;  // not inside a call, or in a fork's child: nothing is open
  if (log != nullptr && open_calls::Count(log->open_calls[kSource]) != 0)
    log->open_calls[kSource] |= open_calls::kMadeNode;
}

template <Source kSource>
bool CallLog<kSource>::Instantiates() const {
  const ThreadLog* log = t_log;
  if (log == nullptr || open_calls::Count(log->open_calls[kSource]) == 0) return false;
  const CallRole role = RoleOf(log->control->calls[kSource].role.load(std::memory_order_relaxed));
  return role == CallRole::kGraphInstantiate || role == CallRole::kGraphPrepare;
}

template <Source kSource>
bool CallLog<kSource>::IsInQueue(uint64_t begun) const {
  const ThreadLog* log = t_log;
  return begun > open_calls::kLeftOut && log != nullptr &&
         log->open_calls[kSource] % open_calls::kOneWatch == 1;
}

}  // namespace syncline
