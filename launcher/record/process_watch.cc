// SPDX-License-Identifier: Apache-2.0
// pidfds.
#include "launcher/record/process_watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "launcher/host/files.h"

namespace syncline {
namespace {

// From linux/pidfd.h of Linux 6.15, which distributions' headers do not have yet.
struct PidfdInfo {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  int32_t exit_code;
};
constexpr uint64_t kPidfdInfoExit = 1u << 3;
constexpr unsigned long kPidfdGetInfo = _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, sizeof(PidfdInfo));

uint64_t StartTime(int pid) {
  char stat_line[1024];
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  return ReadSmallFile(path.c_str(), stat_line, sizeof(stat_line)) > 0 ? StatField(stat_line, 22)
                                                                       : 0;
}

bool IsBeingKilled(const std::string& directory) {
  char text[8192];
  if (ReadSmallFile((directory + "/status").c_str(), text, sizeof(text)) <= 0) return false;
  for (const char* name : {"SigPnd:", "ShdPnd:"}) {
    const char* const at = std::strstr(text, name);
    if (at != nullptr && (std::strtoull(at + std::strlen(name), nullptr, 16) >> (SIGKILL - 1) & 1))
      return true;
  }
  return false;
}

// One of several threads may end before the others.
bool IsExiting(const std::string& directory) {
  constexpr uint64_t kExiting = 0x4;  // PF_EXITING of the kernel's include/linux/sched.h
  char text[1024];
  return ReadSmallFile((directory + "/stat").c_str(), text, sizeof(text)) <= 0 ||
         (StatField(text, 9) & kExiting) != 0;
}

}  // namespace

ProcessWatch::ProcessWatch(int pid, int pidfd)
    : pid_(pid),
      fd_(pidfd >= 0 || pid <= 0 ? pidfd : static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
      start_time_(pid > 0 ? StartTime(pid) : 0) {}

ProcessWatch::~ProcessWatch() {
  if (fd_ >= 0) close(fd_);
}

bool ProcessWatch::Gone() const {
  if (fd_ < 0 && pid_ <= 0) return false;
  if (fd_ < 0 && start_time_ == 0) return kill(pid_, 0) != 0 && errno == ESRCH;  // without /proc
  if (fd_ < 0) return StartTime(pid_) != start_time_;
  pollfd item = {fd_, POLLIN, 0};
  return poll(&item, 1, 0) == 1;
}

// The signal first: from then on until the threads are on their way out nothing tells.
bool ProcessWatch::Dying() const {
  if (pid_ <= 0 || start_time_ == 0 || StartTime(pid_) != start_time_) return false;
  const std::string directory = "/proc/" + std::to_string(pid_);
  if (IsBeingKilled(directory)) return true;
  const std::vector<std::string> threads = ListDirectory(directory + "/task");
  return !threads.empty() && std::all_of(threads.begin(), threads.end(), [&](const auto& thread) {
    return IsExiting(directory + "/task/" + thread);
  });
}

bool ProcessWatch::ExitStatus(int* wait_status) const {
  PidfdInfo info = {};
  info.mask = kPidfdInfoExit;
  if (fd_ < 0 || ioctl(fd_, kPidfdGetInfo, &info) != 0 || (info.mask & kPidfdInfoExit) == 0)
    return false;
  *wait_status = info.exit_code;
  return true;
}

}  // namespace syncline
