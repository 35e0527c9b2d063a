// SPDX-License-Identifier: Apache-2.0
// Host waits and query spins, as docs/level_zero.md says.
#include "tests/simulated_gpu/level_zero/waits.h"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/truth.h"
#include "tests/simulated_gpu/level_zero/call.h"

namespace simgpu::level_zero {
namespace {

constexpr const char* kClassNames[] = {"stream",     "event",      "sync_copy",
                                       "allocation", "query_spin", "device"};
constexpr uint32_t kLeastAnswered = 2, kLeastUnanswered = 8;  // rule 4 of docs/waits.md

std::condition_variable& Changed() {
  static auto& condition = *new std::condition_variable;  // leaked: threads may wait during exit
  return condition;
}

TruthLine WaitLine(const char* op, const char* call, WaitClass wait_class, uint64_t start_ns) {
  TruthLine line(op);
  line.Text("call", call)
      .Text("class", kClassNames[static_cast<size_t>(wait_class)])
      .Number("thread", CurrentThreadId())
      .Number("correlation", 0)
      .Number("seen_from_ns", start_ns)
      .Number("start_ns", start_ns);
  return line;
}

void FinishLine(TruthLine line, uint64_t end_ns, const Target::Over& over, bool already_done,
                const char* result) {
  line.Number("end_ns", end_ns)
      .Number("over_ns", over.ns)
      .Number("waited_for", 0)
      .Number("waited_for_id", over.id)
      .Flag("already_done", already_done)
      .Text("result", result)
      .Write();
}

// The thread's timer slack is small as long as it sleeps: it wakes within some microseconds.
class SmallSlack {
 public:
  SmallSlack() : slack_(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) {
    if (slack_ > 1000) prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  }
  ~SmallSlack() {
    if (slack_ > 1000) prctl(PR_SET_TIMERSLACK, slack_, 0, 0, 0);
  }
  SmallSlack(const SmallSlack&) = delete;
  SmallSlack& operator=(const SmallSlack&) = delete;

 private:
  int slack_;
};

void SleepUnder(EngineLock* lock, uint64_t until_ns) {
  if (until_ns == UINT64_MAX) {
    Changed().wait(*lock);
    return;
  }
  const std::chrono::nanoseconds since_boot{static_cast<int64_t>(until_ns)};
  Changed().wait_until(*lock, std::chrono::steady_clock::time_point(since_boot));
}

// Under the lock, which is open while the thread sleeps. `over` is what is known at the end.
ze_result_t Await(EngineLock* lock, const Target& target, uint64_t deadline_ns,
                  Target::Over* over) {
  const SmallSlack slack;
  bool known = false;
  for (;;) {
    if (DeviceIsLost()) return ZE_RESULT_ERROR_DEVICE_LOST;
    const uint64_t now = Now();
    // What was known before the sleep has come true, even if the event was reset since.
    if (known && over->ns <= now) return ZE_RESULT_SUCCESS;
    known = target.When(now, over);
    if (known && over->ns <= now) return ZE_RESULT_SUCCESS;
    if (!known) *over = {0, 0};
    if (now >= deadline_ns) return ZE_RESULT_NOT_READY;
    SleepUnder(lock, std::min(known ? over->ns : UINT64_MAX, deadline_ns));
  }
}

uint64_t Deadline(uint64_t entry_ns, uint64_t timeout_ns) {
  return timeout_ns > UINT64_MAX / 4 ? UINT64_MAX : entry_ns + timeout_ns;
}

// A run of unsuccessful questions about one object by one thread.
struct Spin {
  const void* object = nullptr;
  const char* call = "";
  uint64_t start_ns = 0, last_ns = 0, count = 0;
  Target target;
};
thread_local Spin* spin = nullptr;  // leaked: calls may come from destructors of the thread

void WriteSpin(uint64_t least) {
  if (spin->count >= least && TruthIsOn()) {
    Target::Over over{0, 0};
    {
      EngineLock lock(EngineMutex());
      spin->target.When(spin->last_ns, &over);
    }
    over.ns = spin->last_ns;
    FinishLine(WaitLine("wait", spin->call, WaitClass::kQuerySpin, spin->start_ns), spin->last_ns,
               over, false, least == kLeastAnswered ? "success" : "not_ready");
  }
  spin->count = 0;
  spin->target = {};
}

}  // namespace

bool Target::When(uint64_t from_ns, Over* over) const {
  *over = {0, 0};
  if (semaphore != nullptr) {
    const std::optional<Signal> signal = semaphore->line.SignaledFrom(from_ns);
    if (!signal) return false;
    *over = {signal->ns, signal->by};
  }
  for (const std::shared_ptr<Operation>& operation : operations) {
    if (!operation->resolved) return false;
    if (operation->over_ns >= over->ns) *over = {operation->over_ns, operation->over_id};
  }
  return true;
}

void WakeHostWaits() { Changed().notify_all(); }

ze_result_t HostWait(WaitClass wait_class, const Target& target, Record record,
                     uint64_t timeout_ns) {
  const uint64_t start_ns = Now();
  const uint64_t deadline_ns = Deadline(start_ns, timeout_ns);
  Target::Over over{0, 0};
  ze_result_t result;
  {
    EngineLock lock(EngineMutex());
    const bool known = target.When(start_ns, &over);
    if (record == Record::kIfItWaited && known && over.ns <= start_ns) return ZE_RESULT_SUCCESS;
    if (!known && TruthIsOn()) {
      WaitLine("wait_begun", CurrentCall(), wait_class, start_ns).Number("waited_for", 0).Write();
    }
    if (target.semaphore != nullptr) ++target.semaphore->host_waiters;
    result = Await(&lock, target, deadline_ns, &over);
    if (target.semaphore != nullptr) --target.semaphore->host_waiters;
  }
  MoveBytes();
  if (result == ZE_RESULT_ERROR_DEVICE_LOST || !TruthIsOn()) return result;
  const bool timed_out = result == ZE_RESULT_NOT_READY;
  if (timed_out) over.ns = deadline_ns;
  FinishLine(WaitLine("wait", CurrentCall(), wait_class, start_ns), Now(), over,
             !timed_out && over.ns <= start_ns, timed_out ? "not_ready" : "success");
  return result;
}

ze_result_t Query(const void* object, const Target& target) {
  const uint64_t start_ns = Now();
  Target::Over over;
  bool ready;
  {
    EngineLock lock(EngineMutex());
    ready = target.When(start_ns, &over) && over.ns <= start_ns;
  }
  if (ready) MoveBytes();
  if (spin == nullptr) spin = new Spin;
  if (spin->count > 0 && spin->object != object) EndSpin();
  if (spin->count == 0) {
    if (ready) return ZE_RESULT_SUCCESS;
    spin->object = object;
    spin->call = CurrentCall();
    spin->start_ns = start_ns;
  }
  spin->last_ns = Now();
  if (!ready) {
    ++spin->count;
    spin->target = target;
    return ZE_RESULT_NOT_READY;
  }
  spin->target = target;
  WriteSpin(kLeastAnswered);
  return ZE_RESULT_SUCCESS;
}

void EndSpin() {
  if (spin != nullptr && spin->count > 0) WriteSpin(kLeastUnanswered);
}

}  // namespace simgpu::level_zero
