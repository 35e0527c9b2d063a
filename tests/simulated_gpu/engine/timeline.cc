// SPDX-License-Identifier: Apache-2.0
// CodeLocations operations in time.
#include "tests/simulated_gpu/engine/timeline.h"

#include <algorithm>
#include <condition_variable>
#include <map>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/truth.h"

namespace simgpu {
namespace {

constexpr uint64_t kLaunchLatencyNs = 2000, kMarkLatencyNs = 500;

uint64_t next_operation_id = 0;  // under the engine lock
uint32_t waiters = 0;            // under the engine lock
std::condition_variable& ResolvedCondition() {
  static auto& condition =
      *new std::condition_variable;  // leaked: threads may wait on it while the process exits
  return condition;
}

// Collectives that are waiting for others, by run; under the engine lock.
std::map<uint64_t, std::shared_ptr<Pending>>& WaitingCollectives() {
  static auto& waiting = *new std::map<uint64_t, std::shared_ptr<Pending>>;
  return waiting;
}

bool IsMark(OperationKind kind) {
  return kind == OperationKind::kEventRecord || kind == OperationKind::kStreamWait ||
         kind == OperationKind::kGraphLaunch;
}

uint64_t Latency(OperationKind kind) { return IsMark(kind) ? kMarkLatencyNs : kLaunchLatencyNs; }

// Under the lock: gives the operation its start and end.
void Place(Work* work, uint64_t ready, uint64_t now) {
  Operation& op = work->op;
  const uint64_t length = work->duration_ns;
  uint64_t start = std::max(ready, work->earliest_ns);
  Device& device = *work->device;
  switch (op.kind) {
    case OperationKind::kKernel:
      start = device.slots.Place(start, length);
      break;
    case OperationKind::kMemcpy:
      if (op.copy_kind == CopyKind::kHostToDevice)
        start = device.to_device.Place(start, length, now);
      if (op.copy_kind == CopyKind::kDeviceToHost)
        start = device.from_device.Place(start, length, now);
      if (op.copy_kind == CopyKind::kPeerToPeer) start = device.peer.Place(start, length, now);
      break;
    default:
      break;
  }
  op.start_ns = start;
  op.end_ns = start + length;
  if (op.kind == OperationKind::kGraphLaunch) op.start_ns = std::min(start, work->first_start_ns);
}

void Resolve(EngineLock& lock, const std::shared_ptr<Pending>& first, uint64_t start_ns,
             uint64_t end_ns);

// What `pending` depended on is over at `ready`, and it is published. The lock is open while its
// body runs. Returns true if it is resolved by that.
bool Start(EngineLock& lock, const std::shared_ptr<Pending>& pending) {
  Work& work = pending->work;
  const uint64_t ready = std::max(work.earliest_ns, work.op.queued_ns + Latency(work.op.kind));
  if (work.ending == Ending::kHostFunction) {
    RunLater(ready, [pending] {
      const uint64_t start_ns = Now();
      pending->work.body();
      Finish(pending, start_ns, Now());
    });
    return false;
  }
  work.op.start_ns = ready;
  if (work.collective != nullptr) {
    WaitingCollectives()[work.op.id] = pending;
    work.collective->Ready(work.op.id, ready, work.duration_ns);
  }
  if (work.ending != Ending::kModelled) return false;
  if (work.body) {
    lock.unlock();
    work.body();
    lock.lock();
  }
  Place(&work, ready, Now());
  return true;
}

void Tell(const std::shared_ptr<Pending>& pending) {
  const Observer* observer = CurrentObserver();
  if (pending->told && observer != nullptr && observer->completed != nullptr) {
    observer->completed(&pending->work.op);
  }
}

void Resolve(EngineLock& lock, const std::shared_ptr<Pending>& first, uint64_t start_ns,
             uint64_t end_ns) {
  first->work.op.start_ns = start_ns;
  first->work.op.end_ns = end_ns;
  std::vector<std::shared_ptr<Pending>> ready{first}, over;
  while (!ready.empty()) {
    const std::shared_ptr<Pending> pending = ready.back();
    ready.pop_back();
    pending->resolved = true;
    if (!pending->work.silent) WriteOperation(pending->work);
    over.push_back(pending);
    for (const std::shared_ptr<Pending>& dependent : pending->dependents) {
      Work& work = dependent->work;
      if (pending->work.op.end_ns >= work.earliest_ns) {
        work.earliest_ns = pending->work.op.end_ns;
        work.waits_for = Represented(pending->work);
      }
      work.first_start_ns = std::min(work.first_start_ns, pending->work.op.start_ns);
      if (--dependent->unresolved == 0 && Start(lock, dependent)) ready.push_back(dependent);
    }
    pending->dependents.clear();
  }
  if (waiters > 0) ResolvedCondition().notify_all();
  lock.unlock();
  for (const std::shared_ptr<Pending>& pending : over) Tell(pending);
  lock.lock();
}

}  // namespace

uint32_t Represented(const Work& work) {
  const OperationKind kind = work.op.kind;
  const bool stands_for = kind == OperationKind::kEventRecord || kind == OperationKind::kStreamWait;
  return stands_for ? work.waits_for : work.op.correlation;
}

void Dependencies::Add(const Point& point) {
  Point settled = point;
  Settle(&settled);
  if (settled.pending != nullptr) {
    if (std::find(pending_.begin(), pending_.end(), settled.pending) == pending_.end()) {
      pending_.push_back(settled.pending);
    }
  } else if (settled.ns > latest_.ns) {
    latest_ = settled;
  }
}

uint32_t Dependencies::correlation() const {
  return pending_.empty() ? latest_.correlation : Represented(pending_.back()->work);
}

Submitted::Placed Submitted::Add(Work&& work, const Dependencies& after) {
  const uint64_t now = Now();
  Operation& op = work.op;
  op.id = ++next_operation_id;
  op.queued_ns = now;
  op.device = work.device->ordinal;
  work.waits_for = after.correlation();
  work.earliest_ns = std::max(work.earliest_ns, after.ns());
  const bool tell =
      !work.silent && (Categories().load(std::memory_order_relaxed) & kOperations) != 0;
  if (after.known() && work.ending == Ending::kModelled) {
    Place(&work, std::max(work.earliest_ns, now + Latency(op.kind)), now);
    if (!work.silent) WriteOperation(work);
    if (tell) known_.push_back(op);
    if (work.body) bodies_.push_back(std::move(work.body));
    return {Point{op.end_ns, Represented(work), nullptr}, op.start_ns};
  }
  op.end_known = false;
  if (work.collective != nullptr) work.collective->Submitted(op.id);
  auto pending = std::make_shared<Pending>();
  pending->work = std::move(work);
  pending->told = tell;
  pending->unresolved = after.pending().size() + 1;
  for (const std::shared_ptr<Pending>& before : after.pending())
    before->dependents.push_back(pending);
  if (!pending->work.silent) WriteSubmitted(pending->work);
  pending_.push_back(pending);
  return {Point{0, pending->work.op.correlation, pending}, 0};
}

void Submitted::Publish() {
  for (const std::function<void()>& body : bodies_) body();
  const Observer* observer = CurrentObserver();
  if (observer != nullptr && observer->submitted != nullptr) {
    for (Operation& op : known_) observer->submitted(&op);
    for (const std::shared_ptr<Pending>& pending : pending_) {
      if (pending->told) observer->submitted(&pending->work.op);
    }
  }
  if (!pending_.empty()) {
    EngineLock lock(EngineMutex());
    for (const std::shared_ptr<Pending>& pending : pending_) {
      if (--pending->unresolved == 0 && Start(lock, pending)) {
        Resolve(lock, pending, pending->work.op.start_ns, pending->work.op.end_ns);
      }
    }
  }
  bodies_.clear();
  known_.clear();
  pending_.clear();
}

void Settle(Point* point) {
  if (point->pending == nullptr || !point->pending->resolved) return;
  point->ns = point->pending->work.op.end_ns;
  point->correlation = Represented(point->pending->work);
  point->pending = nullptr;
}

bool IsOver(Point* point, uint64_t now) {
  Settle(point);
  return point->pending == nullptr && point->ns <= now;
}

Dependencies ContextWork(Context* context, bool blocking_only) {
  Dependencies work;
  auto still_pending = context->pending.begin();
  for (Stream* stream : context->pending) {
    Settle(&stream->tail);
    if (stream->tail.pending == nullptr) {
      if (stream->tail.ns > context->end.ns) context->end = stream->tail;
      if (stream->blocking && stream->tail.ns > context->blocking_end.ns)
        context->blocking_end = stream->tail;
      continue;
    }
    if (stream->blocking || !blocking_only) work.Add(stream->tail);
    *still_pending++ = stream;
  }
  context->pending.erase(still_pending, context->pending.end());
  work.Add(blocking_only ? context->blocking_end : context->end);
  return work;
}

Dependencies StreamTail(Stream* stream) {
  if (stream->is_legacy) return ContextWork(stream->context, true);
  Dependencies tail;
  tail.Add(stream->tail);
  return tail;
}

Dependencies StreamOrder(Stream* stream) {
  Dependencies order = StreamTail(stream);
  if (stream->blocking) order.Add(stream->context->legacy->tail);
  return order;
}

Dependencies DeviceWork(Device* device) {
  Dependencies work;
  for (Context* context : Contexts()) {
    if (context->device != device) continue;
    const Dependencies part = ContextWork(context, false);
    work.Merge(part);
  }
  return work;
}

void Dependencies::Merge(const Dependencies& other) {
  for (const std::shared_ptr<Pending>& pending : other.pending_) Add(Point{0, 0, pending});
  if (other.latest_.ns > latest_.ns) latest_ = other.latest_;
}

void Advance(Stream* stream, const Point& end) {
  Context* context = stream->context;
  stream->tail = end;
  if (end.pending != nullptr) {
    auto& pending = context->pending;
    if (std::find(pending.begin(), pending.end(), stream) == pending.end())
      pending.push_back(stream);
    return;
  }
  if (end.ns > context->end.ns) context->end = end;
  if (stream->blocking && end.ns > context->blocking_end.ns) context->blocking_end = end;
}

uint64_t AwaitAll(const Dependencies& after, Waiting waiting) {
  uint64_t until = after.ns();
  if (!after.known()) {
    EngineLock lock(EngineMutex());
    ++waiters;
    for (const std::shared_ptr<Pending>& pending : after.pending()) {
      ResolvedCondition().wait(lock, [&] { return pending->resolved; });
      until = std::max(until, pending->work.op.end_ns);
    }
    --waiters;
  }
  WaitUntil(until, waiting);
  return until;
}

void Finish(const std::shared_ptr<Pending>& pending, uint64_t start_ns, uint64_t end_ns) {
  EngineLock lock(EngineMutex());
  Resolve(lock, pending, start_ns, end_ns);
}

void FinishCollective(uint64_t run, uint64_t start_ns, uint64_t end_ns,
                      const CollectiveFacts* facts) {
  EngineLock lock(EngineMutex());
  const auto found = WaitingCollectives().find(run);
  if (found == WaitingCollectives().end()) return;
  const std::shared_ptr<Pending> pending = found->second;
  WaitingCollectives().erase(found);
  pending->work.facts = *facts;
  pending->work.collective = nullptr;
  Resolve(lock, pending, start_ns, end_ns);
}

}  // namespace simgpu
