// SPDX-License-Identifier: Apache-2.0
// Signals are taken one by one, so that none falls between the child's start and the wait for it.
#include "launcher/start/child_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace syncline {
namespace {

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t Watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int signal : kStopping) sigaddset(&set, signal);
  return set;
}

// The child's mask is ours as it was before.
int Start(const std::string& path, const std::vector<std::string>& arguments, const sigset_t& mask,
          pid_t* child) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &mask);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  const int error = posix_spawn(child, path.c_str(), &files, &how, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return error;
}

// What the terminal sends goes to the child as well.
void PassOn(const siginfo_t& info, pid_t child) {
  if (info.si_code != SI_KERNEL) kill(child, info.si_signo);
}

}  // namespace

ChildEnd RunChild(const std::string& path, const std::vector<std::string>& arguments) {
  const sigset_t watched = Watched();
  sigset_t mask;
  struct sigaction waitable = {};
  struct sigaction before;
  waitable.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &waitable, &before);
  pthread_sigmask(SIG_BLOCK, &watched, &mask);
  ChildEnd end;
  pid_t child = -1;
  end.error = Start(path, arguments, mask, &child);
  while (end.error == 0) {
    siginfo_t info;
    const int signal = sigwaitinfo(&watched, &info);
    if (signal == SIGCHLD) {
      if (waitpid(child, &end.wait_status, WNOHANG) == child) break;
    } else if (signal > 0) {
      end.stopped_by = signal;
      PassOn(info, child);
    }
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGCHLD, &before, nullptr);
  return end;
}

}  // namespace syncline
