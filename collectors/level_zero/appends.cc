// SPDX-License-Identifier: Apache-2.0
// One call that appends: its record, its event, what its list keeps of it.
#include "collectors/level_zero/appends.h"

#include "inject/core/device_times.h"
#include "inject/core/helper_thread.h"

namespace syncline::level_zero {
namespace {

constexpr uint32_t kSubmittedPerBell = 64;

std::atomic<uint32_t> g_submitted;  // since the helper last found nothing to read

const CallName* NameOf(const AppendNames& names, const List* list) {
  if (list == nullptr || !list->immediate || list->captures) return &names.later;
  return list->queue.synchronous ? &names.synchronous : &names.immediate;
}

}  // namespace

void CountSubmitted() {
  if (UnreadWork() == 0) return;
  if (g_submitted.fetch_add(1) % kSubmittedPerBell == 0) WakeHelper(kSource);
}

// Sequentially consistent, as in CountSubmitted: work whose count is taken back here is seen.
bool AwaitsBell() {
  if (UnreadWork() != 0) return false;
  g_submitted.store(0);
  return UnreadWork() == 0;
}

Append::Append(ze_command_list_handle_t list, const AppendNames& names, ze_event_handle_t signal)
    : list_(g_objects.lists.Find(list)),
      event_(g_objects.events.Find(signal)),
      program_(signal),
      given_(signal),
      synchronous_(list_ != nullptr && list_->immediate && !list_->captures &&
                   list_->queue.synchronous),
      call_{NameOf(names, list_), NextCorrelation()},
      not_before_ns_(AboutNow()) {
  // Its last signal must have been seen by now: the program is about to use it again.
  if (list_ != nullptr && list_->immediate && !list_->captures) ReadBeforeReuse(event_);
  if (synchronous_) wait_begin_ = SharedNow();
  begun_ = g_calls.Begin(call_);
}

void Append::Work(const WorkFacts& facts) {
  if (list_ == nullptr || list_->captures) return;  // counted, or its graph is when it is executed
  if (list_->context == nullptr || list_->queue.device == nullptr ||
      g_books_are_old.load(std::memory_order_relaxed)) {
    lost_ = kLoss_ze_untracked;
    return;
  }
  Context* context = list_->context;
  const bool repeats = !list_->immediate;
  if (program_ != nullptr) {
    if (event_ == nullptr || !event_->has_times) {
      lost_ = kLoss_ze_event_without_times;
      return;
    }
    operation_ = NewOperation(facts, context, kNone, program_, repeats);
    return;
  }
  const uint32_t own = context->TakeEvent();
  if (own == kNone) {
    lost_ = context->IsAlive() ? kLoss_ze_no_event : kLoss_ze_context_destroyed;
    return;
  }
  operation_ = NewOperation(facts, context, own, context->HandleOf(own), repeats);
  if (operation_ == kNone) return context->GiveBack(own);
  given_ = context->HandleOf(own);
}

void Append::Waits(uint32_t count, const ze_event_handle_t* events) {
  wait_count_ = count;
  waits_ = events;
}

ze_result_t Append::End(ze_result_t result) {
  if (result != ZE_RESULT_SUCCESS) {
    if (operation_ != kNone) DropOperation(operation_);
  } else if (list_ == nullptr) {
    CountLoss(kLoss_ze_untracked);
    MissLaunch();
  } else if (list_->captures) {
    // The graph will signal it, and nobody sees when.
    if (event_ != nullptr) event_->blind.store(true, std::memory_order_relaxed);
  } else {
    if (lost_ != kLossKinds) CountLoss(lost_);
    list_->immediate ? EndImmediate() : EndLater();
  }
  g_calls.End(call_, begun_, static_cast<uint32_t>(result));
  return result;
}

void Append::EndImmediate() {
  const Queue& queue = list_->queue;
  if (operation_ != kNone) {
    const Execution execution =
        Execute(operation_, {call_.correlation, queue.stream, queue.device, not_before_ns_});
    if (program_ != nullptr) KeepExecution(event_, execution);
    CountSubmitted();
  } else {
    for (uint32_t i = 0; i < wait_count_; ++i) {
      if (const Event* event = g_objects.events.Find(waits_[i]))
        TellQueueWaits(event->signal, call_.correlation, queue);
    }
    if (synchronous_) TellWaitFor(queue, call_.correlation, wait_begin_);
  }
  if (event_ != nullptr) TellSignal(&event_->signal, call_.correlation, queue);
}

void Append::EndLater() {
  if (operation_ == kNone && program_ == nullptr) return;
  if (!AppendCommand(list_, {program_, operation_})) {
    CountLoss(kLoss_ze_untracked);
    if (operation_ != kNone) DropOperation(operation_);
  }
}

}  // namespace syncline::level_zero
