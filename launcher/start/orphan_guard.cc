// SPDX-License-Identifier: Apache-2.0
// A fork that sleeps until the kernel tells it of its parent's death: it takes no time from what is
// measured.
#include "launcher/start/orphan_guard.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "inject/core/clock.h"
#include "inject/core/sys.h"
#include "launcher/start/process_tree.h"

namespace syncline {
namespace {

constexpr uint64_t kGraceNs = 3'000'000'000;
constexpr uint64_t kStepNs = 50'000'000;

bool Lives(pid_t pid) { return kill(pid, 0) == 0; }

// A program may be about to start others, or itself.
void EndAllBelow(pid_t child) {
  std::vector<LivingProcess> told;
  for (const uint64_t until = MonotonicNs() + kGraceNs; Lives(child) && MonotonicNs() < until;) {
    std::vector<LivingProcess> fresh = ProcessesBelow(child);
    std::erase_if(fresh, [&](const LivingProcess& process) {
      return std::find(told.begin(), told.end(), process) != told.end();
    });
    SignalAll(fresh, SIGTERM);
    told.insert(told.end(), fresh.begin(), fresh.end());
    SysSleepNs(kStepNs);
  }
  SignalAll(told, SIGKILL);
}

[[noreturn]] void Guard(pid_t child, pid_t parent) {
  sigset_t all, death;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigemptyset(&death);
  sigaddset(&death, SIGUSR1);
  prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
  prctl(PR_SET_NAME, "orphan-guard", 0, 0, 0);
  setpgid(0, 0);  // who stops or ends the group does not mean us
  syscall(SYS_close_range, 0, ~0u, 0);
  while (getppid() == parent) sigwaitinfo(&death, nullptr);
  EndAllBelow(child);
  _exit(0);
}

}  // namespace

OrphanGuard::OrphanGuard(pid_t child) {
  const pid_t us = getpid();
  pid_ = fork();
  if (pid_ == 0) Guard(child, us);
}

OrphanGuard::~OrphanGuard() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace syncline
