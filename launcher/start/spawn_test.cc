// SPDX-License-Identifier: Apache-2.0
// Tests of running a program in between: real launchers (forked from here), real children.
#include "launcher/start/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "model/testing/test_directory.h"

namespace syncline {
namespace {

// Runs `sh -c script` as a launcher would, in a process of its own whose stdout is a pipe.
class Launcher {
 public:
  explicit Launcher(
      const std::string& script, const std::function<void()>& before = [] {}) {
    int channel[2];
    EXPECT_EQ(pipe2(channel, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      dup2(channel[1], 1);
      close(channel[0]);
      close(channel[1]);
      before();
      const InheritedState signals;
      Program program(signals);
      if (program.Start({"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}) != 0) _exit(99);
      LeaveLike(program.Wait());
    }
    close(channel[1]);
    output_ = channel[0];
  }
  ~Launcher() { close(output_); }

  pid_t pid() const { return pid_; }

  // One line of the program's output; "" at its end or after 20 s.
  std::string Line() const {
    std::string line;
    char c;
    pollfd readable = {output_, POLLIN, 0};
    while (poll(&readable, 1, 20000) == 1 && read(output_, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }

  int Wait(int options = 0) const {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, options), pid_);
    return status;
  }

 private:
  pid_t pid_;
  int output_;
};

TEST(SpawnTest, ExitStatusIsThePrograms) {
  for (const int status : {0, 1, 7, 125, 255}) {
    const int ended = Launcher("exit " + std::to_string(status)).Wait();
    ASSERT_TRUE(WIFEXITED(ended));
    EXPECT_EQ(WEXITSTATUS(ended), status);
  }
}

TEST(SpawnTest, DeathBySignalIsThePrograms) {
  for (const int signal : {SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGUSR1}) {
    const int ended = Launcher("kill -" + std::to_string(signal) + " $$").Wait();
    ASSERT_TRUE(WIFSIGNALED(ended)) << signal;
    EXPECT_EQ(WTERMSIG(ended), signal);
    EXPECT_FALSE(WCOREDUMP(ended));
  }
}

TEST(SpawnTest, ASignalSentToUsReachesTheProgramOnce) {
  const Launcher launcher(
      "n=0; trap 'n=$((n+1))' USR1; trap 'echo $n; exit 3' TERM; echo ready; while :; do sleep "
      "0.01; done");
  ASSERT_EQ(launcher.Line(), "ready");
  kill(launcher.pid(), SIGUSR1);
  usleep(300000);
  kill(launcher.pid(), SIGTERM);
  EXPECT_EQ(launcher.Line(), "1");
  EXPECT_EQ(WEXITSTATUS(launcher.Wait()), 3);
}

TEST(SpawnTest, ASignalToTheWholeGroupReachesTheProgramOnce) {
  const Launcher launcher(
      "n=0; trap 'n=$((n+1))' USR1; trap 'echo $n; exit 3' USR2; echo ready; while :; do sleep "
      "0.01; done 2>/dev/null");
  ASSERT_EQ(launcher.Line(), "ready");
  kill(-launcher.pid(), SIGUSR1);  // also ends a sleep, which the loop starts again
  usleep(300000);
  kill(launcher.pid(), SIGUSR2);
  EXPECT_EQ(launcher.Line(), "1");
  EXPECT_EQ(WEXITSTATUS(launcher.Wait()), 3);
}

TEST(SpawnTest, StopAndContinueWork) {
  const Launcher launcher("trap 'echo continued' CONT; echo $$; while :; do sleep 0.01; done");
  const pid_t program = std::stoi(launcher.Line());
  kill(program, SIGSTOP);
  const int stopped = launcher.Wait(WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(stopped));
  EXPECT_EQ(WSTOPSIG(stopped), SIGSTOP);
  kill(launcher.pid(), SIGCONT);
  EXPECT_EQ(launcher.Line(), "continued");
  kill(launcher.pid(), SIGTERM);
  EXPECT_EQ(WTERMSIG(launcher.Wait()), SIGTERM);
}

// As a scheduler or a user does that knows the program's number.
TEST(SpawnTest, WhoeverContinuesOrEndsTheProgramMeansUsToo) {
  const Launcher launcher("trap 'echo continued' CONT; echo $$; while :; do sleep 0.01; done");
  const pid_t program = std::stoi(launcher.Line());
  for (const int signal : {SIGCONT, SIGCONT, SIGKILL}) {
    kill(program, SIGSTOP);
    ASSERT_TRUE(WIFSTOPPED(launcher.Wait(WUNTRACED)));
    kill(program, signal);
    if (signal == SIGKILL) break;
    EXPECT_EQ(launcher.Line(), "continued");
    EXPECT_TRUE(WIFCONTINUED(launcher.Wait(WCONTINUED)));
  }
  EXPECT_EQ(WTERMSIG(launcher.Wait()), SIGKILL);
}

TEST(SpawnTest, AStopSentToUsStopsBoth) {
  const Launcher launcher("echo $$; while :; do sleep 0.01; done");
  const pid_t program = std::stoi(launcher.Line());
  kill(launcher.pid(), SIGTSTP);
  const int stopped = launcher.Wait(WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(stopped));
  EXPECT_EQ(WSTOPSIG(stopped), SIGTSTP);
  kill(launcher.pid(), SIGCONT);
  kill(program, SIGTERM);
  EXPECT_EQ(WTERMSIG(launcher.Wait()), SIGTERM);
}

std::string SignalLines(const char* condition) {
  return std::string("grep -E '^Sig(Blk|Ign)' /proc/self/status | ") + condition;
}

TEST(SpawnTest, MaskAndIgnoredSignalsAreHandedDown) {
  const auto inherit = [] {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_SETMASK, &set, nullptr);
  };
  const Launcher launcher(SignalLines("cat; exit 5"), inherit);
  EXPECT_EQ(launcher.Line(), "SigBlk:\t0000000000000800");
  const std::string ignored = launcher.Line();
  const uint64_t set = std::stoull(ignored.substr(ignored.find('\t') + 1), nullptr, 16);
  EXPECT_NE(set & (uint64_t{1} << (SIGPIPE - 1)), 0u);
  const int status = launcher.Wait();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 5) << "an inherited SIG_IGN for SIGCHLD must not lose the status";
}

TEST(SpawnTest, DescendantsAreNotWaitedFor) {
  const Launcher launcher("sleep 30 >/dev/null 2>&1 & echo $!; exit 4");
  const pid_t left = std::stoi(launcher.Line());
  EXPECT_EQ(WEXITSTATUS(launcher.Wait()), 4);
  EXPECT_EQ(kill(left, SIGKILL), 0) << "it must still run";
}

TEST(SpawnTest, ExecFailuresAreReported) {
  const TestDirectory directory;
  const pid_t pid = fork();  // InheritedState blocks all signals for good
  if (pid == 0) {
    const InheritedState signals;
    Program program(signals);
    const bool missing = program.Start({directory / "missing", {"x"}, {}}) == ENOENT;
    const bool refused =
        program.Start({directory.Write("data", "text", 0644), {"x"}, {}}) == EACCES;
    // No format that the kernel knows: /bin/sh runs it, as execvp would have it.
    const bool started =
        program.Start({directory.Write("text", "exit $(($1 + 1))", 0755), {"x", "41"}, {}}) == 0;
    const int status = started ? program.Wait() : 0;
    _exit((missing ? 1 : 0) + (refused ? 2 : 0) + (WEXITSTATUS(status) == 42 ? 4 : 0));
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(SpawnTest, APipeEndsWhenTheProgramClosesIt) {
  int extra[2];
  ASSERT_EQ(pipe2(extra, O_CLOEXEC), 0);
  const Launcher launcher("exec 1>&- 7>&-; exec sleep 30", [&] {
    dup2(extra[1], 7);
    close(extra[1]);
  });
  close(extra[1]);
  EXPECT_EQ(launcher.Line(), "");
  char c;
  pollfd readable = {extra[0], POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, 10000), 1) << "somebody still holds the pipe";
  EXPECT_EQ(read(extra[0], &c, 1), 0);
  close(extra[0]);
  kill(launcher.pid(), SIGTERM);
  EXPECT_EQ(WTERMSIG(launcher.Wait()), SIGTERM);
}

TEST(SpawnTest, OurDescriptorsDoNotReachTheProgram) {
  const Launcher bare("ls /proc/self/fd | wc -l");
  const std::string count = bare.Line();
  bare.Wait();
  const Launcher with_ours("ls /proc/self/fd | wc -l",
                           [] { EXPECT_GE(open("/dev/null", O_RDONLY | O_CLOEXEC), 0); });
  EXPECT_EQ(with_ours.Line(), count);
  with_ours.Wait();
}

}  // namespace
}  // namespace syncline
