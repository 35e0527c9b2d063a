// SPDX-License-Identifier: Apache-2.0
// /proc/PID/task/TID/schedstat and syscall.
#include "sampler/thread_states.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace syncline {
namespace {

// The recorder needs descriptors, too, and often there are no more than 1,024.
constexpr int kMostKept = 256;
std::atomic<int> g_kept{0};  // of all processes

// A file of the thread, with a NUL behind it; 0: nothing. Keeps it open, if there is room.
size_t ReadShort(int pid, uint32_t number, const char* file, int* kept, char* out, size_t room) {
  int fd = *kept;
  if (fd < 0)
    fd = open(Text("/proc/", pid, "/task/", number, "/", file).c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = fd < 0 ? -1 : pread(fd, out, room - 1, 0);
  out[bytes < 0 ? 0 : bytes] = '\0';
  if (fd >= 0 && *kept < 0) {
    if (g_kept.load() < kMostKept) {
      ++g_kept;
      *kept = fd;
    } else {
      close(fd);
    }
  }
  return bytes < 0 ? 0 : static_cast<size_t>(bytes);
}

}  // namespace

ThreadStates::~ThreadStates() {
  for (auto& [number, thread] : threads_) Close(&thread);
}

void ThreadStates::Close(Watched* thread) {
  for (const int fd : {thread->schedule, thread->call}) {
    if (fd < 0) continue;
    close(fd);
    --g_kept;
  }
}

// False: the kernel keeps no such sums.
bool ThreadStates::Schedule(uint32_t number, Watched* thread, uint64_t* ran_ns, uint64_t* waited_ns,
                            uint64_t* turns) const {
  char text[96];
  if (ReadShort(pid_, number, "schedstat", &thread->schedule, text, sizeof(text)) == 0)
    return false;
  char* end = text;
  *ran_ns = std::strtoull(end, &end, 10);
  *waited_ns = std::strtoull(end, &end, 10);
  *turns = std::strtoull(end, &end, 10);
  return *turns != 0;
}

// The kernel does not say which of the two it is at a moment, but how long each was: so many of the
// looks are told as one of them.
ThreadState ThreadStates::RunsOrWaits(Watched* thread) {
  const auto each_ns = static_cast<int64_t>(thread->both_ns / ++thread->looks);
  if (each_ns == 0 || thread->waited_owed_ns * 2 < each_ns) return ThreadState::kRunning;
  thread->waited_owed_ns -= each_ns;
  return ThreadState::kRunnable;
}

void ThreadStates::AskCall(uint32_t number, Watched* thread) const {
  ThreadFacts& facts = thread->facts;
  facts = {};
  char text[256];
  if (ReadShort(pid_, number, "syscall", &thread->call, text, sizeof(text)) == 0) return;
  if (std::strncmp(text, "running", 7) == 0) {
    facts.state = RunsOrWaits(thread);
    return;
  }
  facts.state = ThreadState::kBlocked;
  char* end = text;
  const long call = std::strtol(text, &end, 10);
  if (end == text || call < 0) return;  // a page's fault, or it is stopped
  facts.system_call = static_cast<uint32_t>(call);
  facts.argument = std::strtoull(end, nullptr, 16);
}

ThreadFacts ThreadStates::Of(uint32_t number) {
  if (number == 0) return {};
  Watched& thread = threads_[number];
  thread.was_asked = true;
  uint64_t ran_ns = 0, waited_ns = 0, turns = 0;
  const bool known = Schedule(number, &thread, &ran_ns, &waited_ns, &turns);
  const bool same = known && thread.is_known && thread.ran_ns == ran_ns && thread.turns == turns &&
                    thread.facts.state == ThreadState::kBlocked;
  thread.facts.has_slept = same;
  if (same) return thread.facts;
  // A thread that has the number of another one begins anew.
  if (known && thread.is_known && ran_ns >= thread.ran_ns && waited_ns >= thread.waited_ns) {
    thread.both_ns += ran_ns - thread.ran_ns + waited_ns - thread.waited_ns;
    thread.waited_owed_ns += static_cast<int64_t>(waited_ns - thread.waited_ns);
  }
  AskCall(number, &thread);
  thread.ran_ns = ran_ns;
  thread.waited_ns = waited_ns;
  thread.turns = turns;
  thread.is_known = known;
  return thread.facts;
}

void ThreadStates::Forget() {
  for (auto at = threads_.begin(); at != threads_.end();) {
    if (std::exchange(at->second.was_asked, false)) {
      ++at;
    } else {
      Close(&at->second);
      at = threads_.erase(at);
    }
  }
}

}  // namespace syncline
