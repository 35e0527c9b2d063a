// SPDX-License-Identifier: Apache-2.0
// What holds launches up: loading, launches that block (CUDA_LAUNCH_BLOCKING), a full queue.
#include <algorithm>

#include "analysis/waits/wait_finder.h"

namespace syncline {
namespace {

constexpr uint64_t kLaunchesForSure = 8;
// How many launches of graphs fit is not public. Fewer fill no queue: their thread lost its
// processor.
constexpr uint32_t kFewestLaunchesToFill = 64;

}  // namespace

// Where the vendor records loading, its word is taken; else a function's first launch is the one,
// if all launches were recorded.
bool WaitFinder::IsLoading(const Call& at) const {
  if (overheads_tell_loading_) return at.loading != nullptr;
  const GpuOp& op = at.ops[0];
  return op.kernel != 0 && records_.unseen.empty() &&
         kernels_.count(uint64_t{op.context} << 32 | op.kernel) == 0;
}

// Whether another thread's call that submitted `work` had not returned when `call` began.
bool WaitFinder::WasUnderWay(uint32_t work, const SourceCall& call) const {
  const std::span<const SourceCall> its = CallsThatSubmitted(work);
  return !its.empty() && its[0].tid != call.tid && its[0].end_ns > call.begin_ns;
}

// Loading comes before the launch: what ended after the launched operation began held nothing up,
// and then nothing did. What another thread was submitting at that time says nothing either way:
// its call may have come to it later.
uint32_t WaitFinder::PendingBefore(const GpuOp& launched, const SourceCall& call) const {
  uint32_t latest = kNoOp;
  for (const uint32_t work : submitted_.LastOfContext(launched.context, call.begin_ns)) {
    if (WasUnderWay(work, call)) continue;
    if (Op(work)->end_ns > launched.begin_ns) return kNoOp;
    if (latest == kNoOp || Op(work)->end_ns > Op(latest)->end_ns) latest = work;
  }
  return latest;
}

// That a kernel ended before its launch returned is no proof: it may be short and the
// thread was not running. It is one if (nearly) all of the process's did.
void WaitFinder::Launch(Call* at) {
  if (at->ops.empty() || at->call.result != 0) return;
  const GpuOp& op = at->ops[0];
  if (IsLoading(*at)) {
    const uint32_t before = PendingBefore(op, at->call);
    if (Measure(*at, WaitClass::kModuleLoad, before, Proof::kPending)) {
      at->from_ns = measured_.back().wait.end_ns;
    }
  }
  if (records_.launch_blocking == LaunchBlocking::kOff) return;
  ++launches_;
  if (!held_.IsWithin(at->call, at->entry_ns, op.end_ns)) return;
  ++launches_outlived_;
  const bool refuted = records_.launch_blocking == LaunchBlocking::kUnknown &&
                       launches_ >= kLaunchesForSure && launches_outlived_ * 2 < launches_;
  if (refuted) return;
  blocking_launches_.push_back(
      {Begin(*at, WaitClass::kStream, at->first_op), at->call, op.end_ns, Proof::kPending});
}

void WaitFinder::AddBlockingLaunches(std::vector<Wait>* waits) const {
  const bool known = records_.launch_blocking == LaunchBlocking::kOn;
  const bool all = launches_ >= kLaunchesForSure && launches_outlived_ * 20 >= launches_ * 19;
  if (!known && !all) return;
  for (const Measured& launch : blocking_launches_) waits->push_back(launch.wait);
}

// The vendor's overhead record proves it. Without any in the process: so many operations stood in
// the stream, and the first of them began before the call returned. Launches of graphs have no such
// record, and one is one entry: they count behind many launches, if they are far longer than
// others.
void WaitFinder::QueueFull(Call* at, const RoleRule& rule) {
  const bool graph = rule.full_queue == FullQueue::kOfGraphs;
  if (at->queue_full == nullptr && overheads_tell_full_queues_ && !graph) return;
  SubmittedWork::Queue queue;
  if (!at->ops.empty()) {
    queue = submitted_.QueueAt(at->ops[0].context, at->ops[0].stream, at->call.begin_ns);
  } else if (at->event != nullptr) {
    queue = submitted_.QueueAt(at->event->context, at->event->stream, at->call.begin_ns);
  } else if (at->sync != nullptr && at->sync->stream != kNoId) {
    queue = submitted_.QueueAt(at->sync->context, at->sync->stream, at->call.begin_ns);
  }
  const GpuOp* oldest = Op(queue.oldest);
  if (at->queue_full == nullptr) {
    const bool filled =
        graph ? queue.launches >= kFewestLaunchesToFill : queue.length >= rules_.full_queue;
    const bool full =
        oldest != nullptr && filled && held_.IsWithin(at->call, at->entry_ns, oldest->begin_ns);
    if (!full) {
      held_.MayBeHeld(at->call, at->entry_ns, nullptr);
      return;
    }
  }
  Wait wait = Begin(*at, graph ? WaitClass::kGraph : WaitClass::kQueueFull, queue.oldest);
  const uint64_t released = oldest != nullptr ? oldest->begin_ns : at->queue_full->end_ns;
  wait.end_ns = std::clamp(released, at->call.begin_ns, at->call.end_ns);
  at->from_ns = wait.end_ns;
  const bool exception = graph && at->queue_full == nullptr;
  measured_.push_back({wait, at->call, released, exception ? Proof::kException : Proof::kPending});
}

}  // namespace syncline
