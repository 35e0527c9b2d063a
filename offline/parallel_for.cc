// SPDX-License-Identifier: Apache-2.0
// Each thread takes the next part that nobody has begun.
#include "offline/parallel_for.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace syncline {
namespace {

// A writer keeps one core busy; more would only compete for the disk.
constexpr size_t kMaxThreads = 8;

}  // namespace

size_t ThreadsFor(size_t parts) {
  return std::min<size_t>({parts, std::max(1u, std::thread::hardware_concurrency()), kMaxThreads});
}

void ParallelFor(size_t parts, const std::atomic<bool>& stop,
                 const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // under the mutex until the helpers are joined
  const auto some = [&] {
    try {
      for (size_t i = next++; i < parts && !stop.load(); i = next++) work(i);
    } catch (...) {
      next = parts;
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const size_t helpers_wanted = parts == 0 ? 0 : ThreadsFor(parts) - 1;
  std::vector<std::thread> helpers;
  helpers.reserve(helpers_wanted);
  try {
    while (helpers.size() < helpers_wanted) helpers.emplace_back(some);
  } catch (const std::system_error&) {
    // A limit of threads (ulimit -u, the group's pids.max): those that are there do it all.
  }
  some();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace syncline
