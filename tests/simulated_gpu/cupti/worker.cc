// SPDX-License-Identifier: Apache-2.0
// The loop of CUPTI's own thread.
#include "tests/simulated_gpu/cupti/worker.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

namespace simgpu::cupti {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// steady_clock is the engine's CLOCK_MONOTONIC.
uint64_t NowNs() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

thread_local bool t_is_worker = false;

}  // namespace

Worker& Worker::Get() {
  static Worker& worker = *new Worker;
  return worker;
}

Worker::Worker() {
  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // As the real library does: by its own call of pthread_create (README.md, rule 34).
  pthread_t thread;
  const auto run = [](void* worker) -> void* {
    static_cast<Worker*>(worker)->Run();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, run, this) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Worker::IsThisThread() const { return t_is_worker; }

void Worker::Take(std::unique_ptr<Buffer> buffer) {
  std::lock_guard lock(mutex_);
  items_.push_back({++numbered_, std::move(buffer), false});
  arrived_.notify_one();
}

bool Worker::IsUndelivered(uint64_t last_number) const {
  if (delivering_ != 0 && delivering_ <= last_number) return true;
  return std::any_of(items_.begin(), items_.end(), [last_number](const Item& item) {
    return item.at_once && item.number <= last_number;
  });
}

bool Worker::Flush(bool forced) {
  if (t_is_worker) return false;
  std::unique_lock lock(mutex_);
  const uint64_t now = NowNs();
  for (Item& item : items_) item.at_once = item.at_once || forced || item.buffer->ReadyAt() <= now;
  const uint64_t last = numbered_;
  arrived_.notify_one();
  delivered_.wait(lock, [this, last] { return !IsUndelivered(last); });
  return true;
}

void Worker::Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns) {
  std::lock_guard lock(mutex_);
  for (Item& item : items_) item.buffer->Complete(operation, start_ns, end_ns);
  arrived_.notify_one();
}

void Worker::SetPeriod(uint32_t milliseconds) {
  std::lock_guard lock(mutex_);
  period_ns_ = uint64_t{milliseconds} * 1'000'000;
  next_tick_ns_ = NowNs() + period_ns_;
  arrived_.notify_one();
}

void Worker::Drop() {
  std::lock_guard lock(mutex_);
  items_.clear();
  delivered_.notify_all();
}

std::vector<Worker::Item>::iterator Worker::Next(uint64_t now_ns, uint64_t* wake_ns) {
  *wake_ns = Buffer::kNever;
  for (auto item = items_.begin(); item != items_.end(); ++item) {
    if (item->at_once) return item;
    uint64_t due = item->buffer->ReadyAt();
    if (period_ns_ != 0) due = std::max(due, next_tick_ns_);
    if (due <= now_ns) return item;
    *wake_ns = std::min(*wake_ns, due);
  }
  return items_.end();
}

void Worker::Run() {
  t_is_worker = true;
  pthread_setname_np(pthread_self(), "simgpu-cupti");
  std::unique_lock lock(mutex_);
  for (;;) {
    uint64_t wake_ns = 0;
    const auto next = Next(NowNs(), &wake_ns);
    if (next == items_.end()) {
      if (period_ns_ != 0 && NowNs() >= next_tick_ns_) next_tick_ns_ = NowNs() + period_ns_;
      if (wake_ns == Buffer::kNever) {
        arrived_.wait(lock);
      } else {
        arrived_.wait_until(lock, SteadyTime(std::chrono::nanoseconds(wake_ns)));
      }
      continue;
    }
    Item item = std::move(*next);
    items_.erase(next);
    delivering_ = item.number;
    lock.unlock();
    item.buffer->Finish(NowNs());
    item.buffer->Deliver();
    lock.lock();
    delivering_ = 0;
    delivered_.notify_all();
  }
}

}  // namespace simgpu::cupti
