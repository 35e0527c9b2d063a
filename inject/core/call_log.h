// SPDX-License-Identifier: Apache-2.0
// The records of a program's calls of one source's library, however a collector sees them: one at
// each call's end. On the program's threads, inside its calls: no lock, no heap, no call of it.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"

namespace syncline {

struct CallName {
  const char* text;  // constant
  uint16_t bytes;
  uint16_t number;  // the vendor's, in its API; 0: none
  uint8_t role;     // a CallRole, with kCallIsAsync
  bool driver;      // kDriverCall
};

struct WatchedCall {
  const CallName* name;
  uint32_t correlation;           // 0: none
  const void* queried = nullptr;  // of a query: the handle whose state is asked for
  bool empty = false;             // nothing is to be copied or set
};

// Of one source; constant-initialised. Any thread. Calls inside calls of the same source are
// nested; those of two sources do not see each other. Which of a thread's open calls is the
// outermost is counted in its ThreadLog.
class CallLog {
 public:
  constexpr explicit CallLog(Source source) : source_(source) {}

  // From now on another watcher sees the calls: of those that are open, the end may not be seen.
  // `full`: calls inside calls are recorded too.
  void BeginWatching(bool full);

  // What is to be given to End.
  uint64_t Begin(const WatchedCall& call);
  void End(const WatchedCall& call, uint64_t begun, uint32_t result);

  // Inside of the call in which this thread is a graph got a node: it is captured, not done.
  void NodeMade();

  // From now on calls that give a device work are marked, or no longer: whether a record of all
  // such work is to come.
  void MarkWork(bool owed) { work_is_owed_.store(owed, std::memory_order_relaxed); }

  // Correlation of the last call that gave a device work, on any thread; 0: none yet.
  uint32_t LastLaunch() const { return last_launch_.load(std::memory_order_relaxed); }

  // From now on no more device records will be fetched: what is launched is counted as lost.
  void CountLaunchesAsLost() { launches_are_lost_.store(true, std::memory_order_relaxed); }

 private:
  void KeepOpen(struct ThreadLog& log, const WatchedCall& call, uint64_t begin) const;
  uint8_t GivenWork(const WatchedCall& call, uint64_t open_calls, uint32_t result) const;

  const Source source_;
  std::atomic<bool> full_{false};
  std::atomic<bool> launches_are_lost_{false};
  std::atomic<bool> work_is_owed_{false};
  std::atomic<uint32_t> last_launch_{0};
  std::atomic<uint64_t> watch_{0};
};

}  // namespace syncline
