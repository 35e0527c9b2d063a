// SPDX-License-Identifier: Apache-2.0
// The process that stands in the group and reports.
#include "launcher/start/group_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr int kWaitMs = 50;  // it needs microseconds, but machines are busy
constexpr char kName[] = "group-watch";
constexpr size_t kMaxSeen =
    64;  // reports that matched nothing: signals for the group while ours was merged

// Whoever signals the launcher by its name or command line (pkill -f) must not mean us: the
// launcher would take that for a signal to the group.
void TakeAnotherName() {
  prctl(PR_SET_NAME, kName, 0, 0, 0);
  char stat_line[1024];
  if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) <= 0) return;
  const uint64_t begin = StatField(stat_line, 48), end = StatField(stat_line, 49);
  if (begin == 0 || end <= begin || end - begin < sizeof(kName)) return;
  auto* arguments = reinterpret_cast<char*>(begin);  // a copy of the launcher's own
  std::memset(arguments, 0, end - begin);
  std::memcpy(arguments, kName, sizeof(kName));
}

[[noreturn]] void Report(int channel, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  TakeAnotherName();
  if (getppid() != parent) _exit(0);
  // Nobody shall wait for our end to see the end of a pipe.
  constexpr int kOnly = 0;
  dup2(channel, kOnly);
  if (syscall(SYS_close_range, kOnly + 1, ~0u, 0) != 0) {
    for (int fd = kOnly + 1; fd < 1024; ++fd) close(fd);
  }
  sigset_t all;
  sigfillset(&all);
  for (;;) {
    siginfo_t info;
    if (sigwaitinfo(&all, &info) <= 0) continue;
    const int report[2] = {info.si_signo, info.si_pid};
    [[maybe_unused]] const ssize_t written =
        write(kOnly, report, sizeof(report));  // full: nobody listens
  }
}

}  // namespace

GroupWatch::~GroupWatch() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (reports_ >= 0) close(reports_);
}

void GroupWatch::Start() {
  int channel[2];
  if (pipe2(channel, O_CLOEXEC | O_NONBLOCK) != 0) return;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(channel[0]);
    Report(channel[1], parent);
  }
  close(channel[1]);
  reports_ = channel[0];
  if (pid_ > 0) return;
  close(reports_);  // refused: a limit of processes
  reports_ = -1;
}

bool GroupWatch::Read(int wait_ms) {
  pollfd readable = {reports_, POLLIN, 0};
  if (poll(&readable, 1, wait_ms) != 1) return false;
  int report[2];
  if (read(reports_, report, sizeof(report)) != sizeof(report)) return false;
  seen_.push_back({report[0], report[1]});
  if (seen_.size() > kMaxSeen) seen_.erase(seen_.begin());
  return true;
}

bool GroupWatch::GroupGot(const siginfo_t& info) {
  if (pid_ <= 0) return false;
  for (int wait_ms = kWaitMs;;) {
    for (size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i].signal != info.si_signo || seen_[i].sender != info.si_pid) continue;
      seen_.erase(seen_.begin() + static_cast<ptrdiff_t>(i));
      return true;
    }
    if (!Read(wait_ms)) return false;
  }
}

}  // namespace syncline
