// SPDX-License-Identifier: Apache-2.0
// Nothing of the launcher's is left open here, so that a file or a pipe ends when the launcher
// says.
#include "symbols/line_server.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/dwarf_lines.h"
#include "symbols/libdw.h"
#include "symbols/line_frame.h"

extern "C" char** environ;

namespace syncline {
namespace {

constexpr int kServingFd = 3;
constexpr rlim_t kServingMemory = rlim_t{8} << 30;  // bytes beyond what the launcher holds

// To the bitter end only by the launcher's closing: Ctrl+C goes to all processes of a terminal.
void SetSignals() {
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2})
    std::signal(number, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void CloseOthers() {
  std::vector<int> others;
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) {  // of Linux 5.9
    syscall(SYS_close_range, kServingFd + 1, ~0U, 0);
    return;
  }
  while (const dirent* entry = readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (fd > kServingFd && fd != dirfd(folder)) others.push_back(fd);
  }
  closedir(folder);
  for (const int fd : others) close(fd);
}

void KeepOnly(int socket) {
  const int kept = fcntl(socket, F_DUPFD_CLOEXEC, kServingFd);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < kServingFd; ++fd) null < 0 ? close(fd) : dup2(null, fd);
  if (kept != kServingFd) dup2(kept, kServingFd);
  CloseOthers();
}

// Should memory become short all the same, it is this process that the kernel ends.
void LimitMemory() {
  FILE* statm = std::fopen("/proc/self/statm", "re");
  unsigned long long pages = 0;  // of data
  if (statm != nullptr) {
    if (std::fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages) == 1) {
      const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kServingMemory;
      const rlimit memory{most, most};
      setrlimit(RLIMIT_DATA, &memory);
    }
    std::fclose(statm);
  }
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0) return;
  [[maybe_unused]] const ssize_t written = write(score, "1000", 4);
  close(score);
}

// libdw asks no server for files by the functions used here, but where this is set it loads what
// would, when it is loaded. The entry is changed in place: setenv() takes a lock, which another
// thread of the launcher may have held.
void ForgetDebugServers() {
  constexpr std::string_view kServers = "DEBUGINFOD_URLS=";
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with(kServers)) (*entry)[kServers.size()] = '\0';
}

int OpenRegular(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat facts = {};
  if (fd >= 0 && (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

bool SendBytes(const std::string& bytes) {
  return send(kServingFd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

void Serve(const Libdw& dw) {
  std::unordered_map<std::string, std::unique_ptr<DwarfLines>> files;
  std::vector<char> request(sizeof(uint64_t) + PATH_MAX);
  for (;;) {
    const ssize_t bytes = recv(kServingFd, request.data(), request.size(), 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= static_cast<ssize_t>(sizeof(uint64_t))) return;
    alarm(kLineSeconds + 1);  // nobody else would end this process if the launcher was killed
    uint64_t address = 0;
    std::memcpy(&address, request.data(), sizeof(address));
    const std::string path(request.data() + sizeof(address), bytes - sizeof(address));
    std::unique_ptr<DwarfLines>& file = files[path];
    if (file == nullptr) file = std::make_unique<DwarfLines>(dw, OpenRegular(path));
    const std::string answer = EncodeFrames(file->At(address));
    if (!SendBytes("=" + answer)) return;
    alarm(0);
  }
}

}  // namespace

void ServeLines(int socket) {
  alarm(kLineSeconds + 1);  // another thread of the launcher may have held a lock for ever
  SetSignals();
  KeepOnly(socket);
  LimitMemory();
  ForgetDebugServers();
  const Libdw* dw = FindLibdw();
  alarm(0);
  if (SendBytes(std::string(1, dw != nullptr ? '\1' : '\0')) && dw != nullptr) Serve(*dw);
  _exit(0);
}

}  // namespace syncline
