// SPDX-License-Identifier: Apache-2.0
// Host waits and query spins.
#include "tests/simulated_gpu/engine/waits.h"

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/truth.h"

namespace simgpu {
namespace {

constexpr const char* kClassNames[] = {"device",     "stream",        "event",      "legacy_stream",
                                       "sync_copy",  "pageable_copy", "allocation", "query_spin",
                                       "queue_full", "module_load",   "graph"};

TruthLine WaitLine(const char* op, const char* call, WaitClass wait_class, uint64_t seen_from_ns,
                   uint64_t start_ns) {
  TruthLine line(op);
  line.Text("call", call)
      .Text("class", kClassNames[static_cast<size_t>(wait_class)])
      .Number("thread", CurrentTid())
      .Number("correlation", CurrentCorrelation())
      .Number("seen_from_ns", seen_from_ns)
      .Number("start_ns", start_ns);
  return line;
}

// The operation that ended last among those waited for.
uint32_t LastToEnd(const Dependencies& what) {
  uint64_t ns = what.ns();
  uint32_t correlation = what.known() ? what.correlation() : what.known_correlation();
  for (const std::shared_ptr<Pending>& pending : what.pending()) {
    if (pending->work.op.end_ns < ns) continue;
    ns = pending->work.op.end_ns;
    correlation = Represented(pending->work);
  }
  return correlation;
}

// `over_ns`: when what was waited for was over; 0 where that was nothing. A rank may learn of a
// collective's end after it: then the host waits for what was over.
struct WaitTimes {
  uint64_t seen_from_ns, start_ns, end_ns, over_ns;
};

void WriteWait(const char* op, WaitClass wait_class, const Dependencies& what,
               const WaitTimes& times) {
  WaitLine(op, OutermostCall(), wait_class, times.seen_from_ns, times.start_ns)
      .Number("end_ns", times.end_ns)
      .Number("over_ns", times.over_ns)
      .Number("waited_for", LastToEnd(what))
      .Flag("already_done", times.over_ns <= times.start_ns)
      .Write();
}

// What an event record stands for becomes known under the lock.
uint32_t CorrelationNow(const Dependencies& what) {
  EngineLock lock(EngineMutex());
  return what.correlation();
}

}  // namespace

uint64_t HostWait(WaitClass wait_class, const Dependencies& what, uint64_t entry_ns, Record record,
                  std::optional<Waiting> waiting) {
  const uint64_t seen_ns = SeenFromNs();
  const uint64_t seen_from_ns = seen_ns == 0 ? entry_ns : seen_ns;
  if (record == Record::kIfItWaited && what.known()) {
    const uint64_t looked_ns = Now();
    if (what.ns() <= looked_ns) {
      if (what.ns() > seen_from_ns && TruthIsOn()) {
        WriteWait("no_wait", wait_class, what, {seen_from_ns, entry_ns, looked_ns, what.ns()});
      }
      return looked_ns;
    }
  }
  if (!what.known() && TruthIsOn()) {
    WaitLine("wait_begun", OutermostCall(), wait_class, seen_from_ns, entry_ns)
        .Number("waited_for", CorrelationNow(what))
        .Write();
  }
  const uint64_t over_ns = AwaitAll(what, waiting ? *waiting : WaitingOf(CurrentContext()));
  const uint64_t end_ns = Now();
  if (TruthIsOn()) WriteWait("wait", wait_class, what, {seen_from_ns, entry_ns, end_ns, over_ns});
  return end_ns;
}

namespace {

// Rule 4 of docs/waits.md.
constexpr uint32_t kLeastAnswered = 2, kLeastUnanswered = 8;

// Which of the operations ends last may be known only now.
uint32_t LastKnownNow(const Dependencies& what) {
  EngineLock lock(EngineMutex());
  return LastToEnd(what);
}

// What the thread waited for is what the last "not ready" was about. The event may have been
// recorded again since, so that "ready" is about something else: `ready_for`; null: not ready.
void WriteSpin(QuerySpin* spin, uint32_t least, const Dependencies* ready_for) {
  if (spin->count >= least && TruthIsOn()) {
    const uint32_t waited_for = LastKnownNow(*spin->what);
    WaitLine("wait", spin->function, WaitClass::kQuerySpin, spin->start_ns, spin->start_ns)
        .Number("end_ns", spin->last_ns)
        .Number("over_ns", spin->last_ns)
        .Number("waited_for", waited_for)
        .Number("ready_for", ready_for == nullptr ? waited_for : LastKnownNow(*ready_for))
        .Flag("already_done", false)
        .Write();
  }
  spin->count = 0;
  delete spin->what;
  spin->what = nullptr;
}

}  // namespace

void NoteQuery(const void* object, bool ready, uint64_t entry_ns, const Dependencies& what) {
  ThreadState* thread = CurrentThread();
  QuerySpin& spin = thread->spin;
  if (spin.count > 0 && spin.object != object) EndSpin(thread);
  if (spin.count == 0) {
    if (ready) return;
    spin = QuerySpin{object, OutermostCall(), entry_ns, 0, 0, nullptr};
  }
  spin.last_ns = Now();
  if (!ready) {
    ++spin.count;
    delete spin.what;
    spin.what = new Dependencies(what);
  } else {
    WriteSpin(&spin, kLeastAnswered, &what);
  }
}

void EndSpin(ThreadState* thread) { WriteSpin(&thread->spin, kLeastUnanswered, nullptr); }

}  // namespace simgpu
