// SPDX-License-Identifier: Apache-2.0
// The engine's one thread: runs host functions when their time has come. Started by the first of
// them.
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/timeline.h"

namespace simgpu {
namespace {

struct Job {
  uint64_t ns;
  uint64_t order;  // jobs of one time run in the order they came
  std::function<void()> body;
};

struct Later {
  bool operator()(const Job& a, const Job& b) const {
    return a.ns != b.ns ? a.ns > b.ns : a.order > b.order;
  }
};

// Leaked as a whole: the thread uses it until the process is gone.
struct HostThread {
  std::mutex mutex;
  std::condition_variable changed;
  std::priority_queue<Job, std::vector<Job>, Later> jobs;
  uint64_t orders = 0;
  bool running = false;
};

HostThread& TheThread() {
  static HostThread& thread = *new HostThread;
  return thread;
}

[[noreturn]] void Loop() {
  HostThread& thread = TheThread();
  pthread_setname_np(pthread_self(), "simgpu-host");
  CurrentThread()->in_host_function = true;
  std::unique_lock<std::mutex> lock(thread.mutex);
  for (;;) {
    if (thread.jobs.empty()) {
      thread.changed.wait(lock);
      continue;
    }
    const uint64_t due = thread.jobs.top().ns, now = Now();
    if (due > now) {
      // steady_clock is CLOCK_MONOTONIC with this C++ library.
      thread.changed.wait_until(
          lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due)));
      continue;
    }
    std::function<void()> body = thread.jobs.top().body;
    thread.jobs.pop();
    lock.unlock();
    body();
    body = nullptr;
    lock.lock();
  }
}

}  // namespace

void RunLater(uint64_t ns, std::function<void()> body) {
  HostThread& thread = TheThread();
  std::unique_lock<std::mutex> lock(thread.mutex);
  thread.jobs.push({ns, thread.orders++, std::move(body)});
  if (!thread.running) {
    thread.running = true;
    // The program's signals are not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(Loop).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  thread.changed.notify_one();
}

}  // namespace simgpu
