// SPDX-License-Identifier: Apache-2.0
// A fork that polls: nobody but a parent is told when a process goes on.
#include "launcher/start/stop_guard.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr uint64_t kSoonNs = 10'000'000;
constexpr uint64_t kLaterNs = 200'000'000;  // of a program that is stopped for long
constexpr int kSoonTimes = 500;

// Only what is allowed in the child of a process with threads. All signals are blocked.
[[noreturn]] void Guard(pid_t program, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  prctl(PR_SET_NAME, "stop-guard", 0, 0, 0);
  setpgid(0, 0);  // who stops the group does not mean us
  syscall(SYS_close_range, 0, ~0u, 0);
  for (int times = 0; getppid() == parent; ++times) {
    const char state = StateOfProcess(program);
    // Again and again: the parent may not have stopped yet.
    if (state != 'T' && state != 't' && StateOfProcess(parent) == 'T') kill(parent, SIGCONT);
    SysSleepNs(times < kSoonTimes ? kSoonNs : kLaterNs);
  }
  _exit(0);
}

}  // namespace

char StateOfProcess(pid_t pid) {
  TextBuffer path;
  path.Add("/proc/").AddNumber(static_cast<uint64_t>(pid)).Add("/stat");
  char stat[256];
  if (ReadSmallFile(path.text(), stat, sizeof(stat)) <= 0) return 0;
  const char* name_end = std::strrchr(stat, ')');
  return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : char{0};
}

StopGuard::StopGuard(pid_t program) {
  const pid_t us = getpid();
  pid_ = fork();
  if (pid_ == 0) Guard(program, us);
  runs_ = pid_ > 0;
}

StopGuard::~StopGuard() { End(); }

pid_t StopGuard::End() {
  if (runs_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    runs_ = false;
  }
  return pid_;
}

}  // namespace syncline
