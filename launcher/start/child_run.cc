// SPDX-License-Identifier: Apache-2.0
// Signals are taken one by one, so that none falls between the child's start and the wait for it.
#include "launcher/start/child_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "base/text.h"
#include "launcher/host/messages.h"
#include "launcher/start/orphan_guard.h"
#include "launcher/start/process_tree.h"

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

// The first time the child is asked to end. The second time what it runs is killed, so that it can
// write what was recorded; the third time it is killed itself.
void Stop(const siginfo_t& info, int times, pid_t child) {
  if (times == 1) {
    PassOn(info, child);
    Say("stopping. The same once more kills what does not end (SIGKILL).");
  } else if (times == 2) {
    const size_t killed = SignalAll(ProcessesBelow(child), SIGKILL);
    Say(Text("killed ", Counted(killed, "process"),
             " (SIGKILL); once more gives up the recording."));
  } else {
    kill(child, SIGKILL);
  }
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
  std::optional<OrphanGuard> guard;
  if (end.error == 0) guard.emplace(child);
  int times = 0;
  while (end.error == 0) {
    siginfo_t info;
    const int signal = sigwaitinfo(&watched, &info);
    if (signal == SIGCHLD) {
      if (waitpid(child, &end.wait_status, WNOHANG) == child) break;
    } else if (signal > 0) {
      end.stopped_by = signal;
      Stop(info, ++times, child);
    }
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGCHLD, &before, nullptr);
  return end;
}

}  // namespace syncline
