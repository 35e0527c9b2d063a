// SPDX-License-Identifier: Apache-2.0
// What the kernel says that threads of another process do: they run, wait for a processor, or are
// blocked in a system call.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/run/sample_format.h"

namespace syncline {

struct ThreadFacts {
  ThreadState state = ThreadState::kUnknown;
  uint32_t system_call = kNoSystemCall;
  uint64_t argument = 0;   // its first one
  bool has_slept = false;  // since it was asked for the last time, it has not run at all
};

// Keeps two descriptors a thread, while there are few: opening costs more than reading.
class ThreadStates {
 public:
  explicit ThreadStates(int pid) : pid_(pid) {}
  ~ThreadStates();
  ThreadStates(const ThreadStates&) = delete;
  ThreadStates& operator=(const ThreadStates&) = delete;

  ThreadFacts Of(uint32_t number);
  // Gives back what threads have that were not asked for since the last call.
  void Forget();

 private:
  struct Watched {
    int schedule = -1;
    int call = -1;
    uint64_t ran_ns = 0, waited_ns = 0, turns = 0;  // of schedstat
    bool is_known = false;                          // those three
    bool was_asked = false;
    // Of all looks that found that it ran or could run: how many, how long it did the one or the
    // other until then, and how long it had no processor, less what was told so.
    uint64_t looks = 0, both_ns = 0;
    int64_t waited_owed_ns = 0;
    ThreadFacts facts;
  };

  bool Schedule(uint32_t number, Watched* thread, uint64_t* ran_ns, uint64_t* waited_ns,
                uint64_t* turns) const;
  void AskCall(uint32_t number, Watched* thread) const;
  static ThreadState RunsOrWaits(Watched* thread);
  static void Close(Watched* thread);

  int pid_;
  std::unordered_map<uint32_t, Watched> threads_;
};

}  // namespace syncline
