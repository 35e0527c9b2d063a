// SPDX-License-Identifier: Apache-2.0
// pidfds.
#include "launcher/record/process_watch.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "inject/core/sys.h"
#include "inject/core/text.h"

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

bool ProcessWatch::ExitStatus(int* wait_status) const {
  PidfdInfo info = {};
  info.mask = kPidfdInfoExit;
  if (fd_ < 0 || ioctl(fd_, kPidfdGetInfo, &info) != 0 || (info.mask & kPidfdInfoExit) == 0)
    return false;
  *wait_status = info.exit_code;
  return true;
}

}  // namespace syncline
