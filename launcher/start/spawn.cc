// SPDX-License-Identifier: Apache-2.0
// fork, exec, wait, signals and job control of the one direct child.
#include "launcher/start/spawn.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "inject/core/clock.h"
#include "launcher/start/stop_guard.h"

namespace syncline {
namespace {

constexpr char kShell[] = "/bin/sh";

// Pointers for execve, made before fork: nothing may be allocated in the child of a process with
// threads.
class ExecArguments {
 public:
  explicit ExecArguments(const SpawnRequest& request) : path_(request.path.c_str()) {
    shell_arguments_ = {kShell, path_};
    for (const std::string& argument : request.arguments) {
      if (!arguments_.empty()) shell_arguments_.push_back(argument.c_str());
      arguments_.push_back(argument.c_str());
    }
    for (const std::string& entry : request.environment) environment_.push_back(entry.c_str());
    arguments_.push_back(nullptr);
    shell_arguments_.push_back(nullptr);
    environment_.push_back(nullptr);
  }

  // Returns only on failure, with errno.
  int Exec() const {
    execve(path_, Pointers(arguments_), Pointers(environment_));
    if (errno == ENOEXEC) execve(kShell, Pointers(shell_arguments_), Pointers(environment_));
    return errno;
  }

 private:
  static char* const* Pointers(const std::vector<const char*>& texts) {
    return const_cast<char* const*>(texts.data());  // execve does not write to them
  }

  const char* path_;
  std::vector<const char*> arguments_;
  std::vector<const char*> shell_arguments_;
  std::vector<const char*> environment_;
};

// In the child. Who died before the kernel was told would never be missed.
void DieWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) raise(SIGKILL);
}

// What the program inherited is now its own: whoever waits for the end of a pipe shall see it when
// the program closes it, not when we have written traces. Our own descriptors are all
// close-on-exec; stderr is kept for our last lines.
void LetGoOfInherited() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) dup3(nothing, fd, O_CLOEXEC);
  close(nothing);
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return;
  std::vector<int> inherited;
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    const int flags = fd > STDERR_FILENO ? fcntl(fd, F_GETFD) : -1;
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) inherited.push_back(fd);
  }
  closedir(directory);
  for (const int fd : inherited) close(fd);
}

// False: none came until `due_ns`.
bool WaitForSignal(const sigset_t& signals, uint64_t due_ns, siginfo_t* info) {
  if (due_ns == UINT64_MAX) return sigwaitinfo(&signals, info) > 0;
  const uint64_t now = MonotonicNs();
  const uint64_t wait_ns = due_ns > now ? due_ns - now : 0;
  const timespec wait = {static_cast<time_t>(wait_ns / 1'000'000'000),
                         static_cast<long>(wait_ns % 1'000'000'000)};
  return sigtimedwait(&signals, info, &wait) > 0;
}

}  // namespace

InheritedState::InheritedState() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask_);
  // An inherited SIG_IGN would reap the program before we could ask how it ended.
  struct sigaction wait = {};
  wait.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &wait, &child_action_);
  if (getrlimit(RLIMIT_NOFILE, &files_) != 0 || files_.rlim_cur == files_.rlim_max) return;
  const rlimit all_files = {files_.rlim_max, files_.rlim_max};
  files_raised_ = setrlimit(RLIMIT_NOFILE, &all_files) == 0;
}

void InheritedState::DiscardOurs() const {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGXFSZ, SIGPIPE, SIGCHLD}) sigaddset(&ours, signal);
  constexpr timespec kNow = {0, 0};
  while (sigtimedwait(&ours, nullptr, &kNow) > 0) {
  }
}

void InheritedState::RestoreInChild() const {
  if (files_raised_) setrlimit(RLIMIT_NOFILE, &files_);
  sigaction(SIGCHLD, &child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

Program::Program(const InheritedState& signals, bool watch_group) : signals_(signals) {
  if (watch_group) group_.Start();
}

int Program::Start(const SpawnRequest& request) {
  const ExecArguments exec(request);
  int failure[2];
  could_fork_ = pipe2(failure, O_CLOEXEC) == 0;
  if (!could_fork_) return errno;
  const pid_t us = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    could_fork_ = false;
    const int error = errno;
    close(failure[0]);
    close(failure[1]);
    return error;
  }
  if (pid_ == 0) {
    signals_.RestoreInChild();
    if (request.die_with_us) DieWith(us);
    const int error = exec.Exec();
    [[maybe_unused]] const ssize_t written = write(failure[1], &error, sizeof(error));
    _exit(127);
  }
  close(failure[1]);
  int error = 0;
  ssize_t got;
  do {
    got = read(failure[0], &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  close(failure[0]);
  if (got != static_cast<ssize_t>(sizeof(error))) {  // closed by a successful exec
    LetGoOfInherited();
    return 0;
  }
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return error;
}

int Program::Wait(const std::function<uint64_t()>& visit) {
  sigset_t all;
  sigfillset(&all);
  uint64_t wait_ns = visit();
  uint64_t due_ns = MonotonicNs() + wait_ns;
  for (;;) {
    int status = 0;
    pid_t changed;
    while ((changed = waitpid(pid_, &status, WNOHANG | WUNTRACED)) == pid_) {
      if (!WIFSTOPPED(status)) return status;
      StopGuard guard(pid_);
      StopLike(WSTOPSIG(status));
      Continue(guard.End());
    }
    if (changed < 0 && errno == ECHILD) return 125 << 8;  // somebody else reaped it
    ReapOrphans();
    siginfo_t info;
    if (WaitForSignal(all, wait_ns == 0 ? UINT64_MAX : due_ns, &info)) {
      if (info.si_signo != SIGCHLD) Forward(info);
    } else if (wait_ns != 0 && MonotonicNs() >= due_ns) {
      wait_ns = visit();
      due_ns = MonotonicNs() + wait_ns;
    }
  }
}

// As the first process of a container we are the parent of every orphan.
void Program::ReapOrphans() const {
  while (getpid() == 1) {
    siginfo_t ended = {};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
    if (ended.si_pid == pid_ || ended.si_pid == group_.pid()) return;  // asked for by others
    waitpid(ended.si_pid, nullptr, WNOHANG);
  }
}

void Program::Forward(const siginfo_t& info) {
  const bool from_process =
      info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  // From ourselves: SIGPIPE or SIGXFSZ of our own writing.
  if (!from_process || info.si_pid == getpid() || group_.GroupGot(info)) return;
  if (info.si_code == SI_QUEUE) {
    sigqueue(pid_, info.si_signo, info.si_value);
  } else {
    kill(pid_, info.si_signo);
  }
}

void Program::StopLike(int signal) {
  struct sigaction old_action;
  struct sigaction stop = {};
  stop.sa_handler = SIG_DFL;
  if (signal == SIGSTOP || sigaction(signal, &stop, &old_action) != 0) {
    raise(SIGSTOP);
    return;
  }
  sigset_t one;
  sigset_t old_mask;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &one, &old_mask);  // we stop here, and go on when continued
  pthread_sigmask(SIG_SETMASK, &old_mask, nullptr);
  sigaction(signal, &old_action, nullptr);
}

// We run again. A shell continues the whole process group; whoever continues only us means the
// program; the guard continues us for what was done to the program.
void Program::Continue(pid_t guard) {
  sigset_t continued;
  sigemptyset(&continued);
  sigaddset(&continued, SIGCONT);
  siginfo_t info;
  constexpr timespec kNow = {0, 0};
  if (sigtimedwait(&continued, &info, &kNow) > 0) {
    if (info.si_pid == guard) return;
    Forward(info);
  }
  if (StateOfProcess(pid_) == 'T') kill(pid_, SIGCONT);
}

int ReplaceByProgram(const SpawnRequest& request, const InheritedState* signals) {
  const ExecArguments exec(request);
  if (signals != nullptr) signals->DiscardOurs();
  if (signals != nullptr) signals->RestoreInChild();
  return exec.Exec();
}

void LeaveLike(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const int signal = WTERMSIG(wait_status);
    struct sigaction fatal = {};
    fatal.sa_handler = SIG_DFL;
    sigaction(signal, &fatal, nullptr);
    sigset_t all_others;  // another one may be pending
    sigfillset(&all_others);
    sigdelset(&all_others, signal);
    raise(signal);
    pthread_sigmask(SIG_SETMASK, &all_others, nullptr);
    _exit(128 + signal);
  }
  _exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 125);
}

}  // namespace syncline
