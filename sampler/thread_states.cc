// SPDX-License-Identifier: Apache-2.0
// /proc/PID/task/TID/schedstat and syscall.
#include "sampler/thread_states.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace syncline {
namespace {

// With a NUL behind it; 0: nothing.
size_t ReadShort(int fd, char* out, size_t room) {
  const ssize_t bytes = fd < 0 ? -1 : pread(fd, out, room - 1, 0);
  out[bytes < 0 ? 0 : bytes] = '\0';
  return bytes < 0 ? 0 : static_cast<size_t>(bytes);
}

int OpenOf(int pid, uint32_t number, const char* file) {
  return open(Text("/proc/", pid, "/task/", number, "/", file).c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

ThreadStates::~ThreadStates() {
  for (auto& [number, thread] : threads_) Close(&thread);
}

void ThreadStates::Close(Watched* thread) {
  if (thread->schedule >= 0) close(thread->schedule);
  if (thread->call >= 0) close(thread->call);
}

bool ThreadStates::Schedule(Watched* thread, uint64_t* ran_ns, uint64_t* waited_ns,
                            uint64_t* turns) const {
  char text[96];
  if (ReadShort(thread->schedule, text, sizeof(text)) == 0) return false;
  char* end = text;
  *ran_ns = std::strtoull(end, &end, 10);
  *waited_ns = std::strtoull(end, &end, 10);
  *turns = std::strtoull(end, &end, 10);
  return true;
}

// The kernel does not say which of the two it is at a moment, but how long each was: so many of the
// looks are told as one of them.
ThreadState ThreadStates::RunsOrWaits(Watched* thread) {
  const auto each_ns = static_cast<int64_t>(thread->both_ns / ++thread->looks);
  if (each_ns == 0 || thread->waited_owed_ns * 2 < each_ns) return ThreadState::kRunning;
  thread->waited_owed_ns -= each_ns;
  return ThreadState::kRunnable;
}

void ThreadStates::AskCall(Watched* thread) {
  ThreadFacts& facts = thread->facts;
  facts = {};
  char text[256];
  if (ReadShort(thread->call, text, sizeof(text)) == 0) return;
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
  const auto [at, is_new] = threads_.try_emplace(number);
  Watched& thread = at->second;
  if (is_new) {
    thread.schedule = OpenOf(pid_, number, "schedstat");
    thread.call = OpenOf(pid_, number, "syscall");
  }
  thread.was_asked = true;
  uint64_t ran_ns = 0, waited_ns = 0, turns = 0;
  const bool known = Schedule(&thread, &ran_ns, &waited_ns, &turns);
  const bool same = known && thread.is_known && thread.ran_ns == ran_ns && thread.turns == turns &&
                    thread.facts.state == ThreadState::kBlocked;
  thread.facts.has_slept = same;
  if (same) return thread.facts;
  if (known && thread.is_known) {
    thread.both_ns += ran_ns - thread.ran_ns + waited_ns - thread.waited_ns;
    thread.waited_owed_ns += static_cast<int64_t>(waited_ns - thread.waited_ns);
  }
  AskCall(&thread);
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
