// SPDX-License-Identifier: Apache-2.0
// When a training went forward: no framework says it, but what comes before and after is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace syncline {

// Forward begins where the thread last fetched data or went backward, and ends where it goes
// backward. Behind an optimizer's step a program may wait, log or make data: what comes then is
// told of nobody. Of a thread, ranges come in the order of their ends: one within another comes
// before it.
class ForwardTimes {
 public:
  struct Span {
    uint32_t tid;
    uint64_t begin_ns, end_ns;
  };

  // A part of a step has ended that is not forward. `end_ns` 0: forward does not begin there. What
  // is known by now is appended to `out`.
  void Ends(uint32_t tid, bool is_backward, uint64_t begin_ns, uint64_t end_ns,
            std::vector<Span>* out) {
    Thread& thread = threads_[tid];
    if (is_backward) {
      GoBackward(tid, &thread, begin_ns);
    } else {
      Take(thread.spans.size(), &thread, out);
    }
    if (thread.spans.size() > kMostHeld) Take(1, &thread, out);
    thread.ends_ns = end_ns;
  }

  // After the last one.
  void TakeAll(std::vector<Span>* out) {
    for (auto& [tid, thread] : threads_) Take(thread.spans.size(), &thread, out);
    threads_.clear();
  }

 private:
  static constexpr size_t kMostHeld = 64;

  struct Thread {
    uint64_t ends_ns = 0;  // of the last part; 0: nobody knows
    // Before calls of backward, which another such call may be around; by time.
    std::vector<Span> spans;
  };

  static void GoBackward(uint32_t tid, Thread* thread, uint64_t begin_ns) {
    if (thread->ends_ns == 0) return;
    if (thread->ends_ns < begin_ns)
      return thread->spans.push_back({tid, thread->ends_ns, begin_ns});
    std::vector<Span>& spans = thread->spans;
    while (!spans.empty() && spans.back().begin_ns >= begin_ns) spans.pop_back();
    if (!spans.empty()) spans.back().end_ns = std::min(spans.back().end_ns, begin_ns);
  }

  static void Take(size_t count, Thread* thread, std::vector<Span>* out) {
    const auto end = thread->spans.begin() + static_cast<ptrdiff_t>(count);
    out->insert(out->end(), thread->spans.begin(), end);
    thread->spans.erase(thread->spans.begin(), end);
  }

  std::unordered_map<uint32_t, Thread> threads_;
};

}  // namespace syncline
