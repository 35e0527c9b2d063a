// SPDX-License-Identifier: Apache-2.0
// Tests of work that can be interrupted.
#include "launcher/show/interruptible_work.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>
#include <utility>

namespace syncline {
namespace {

// Runs `body` in a process whose signals are blocked, as the launcher's are then; returns its exit
// status.
int InLauncher(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    _exit(body());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

TEST(ForegroundTest, WorkIsDone) {
  EXPECT_EQ(InLauncher([] {
              bool done = false;
              const bool finished =
                  WorkInForeground([&](WorkProgress*) { done = true; }, "working", "interrupted");
              return finished && done ? 0 : 1;
            }),
            0);
}

TEST(ForegroundTest, FailuresComeOutWhereTheyCanBeHandled) {
  EXPECT_EQ(InLauncher([] {
              try {
                WorkInForeground([](WorkProgress*) { throw std::runtime_error("x"); }, "w", "i");
              } catch (const std::runtime_error&) {
                return 0;
              }
              return 1;
            }),
            0);
}

TEST(ForegroundTest, AnInterruptCancelsAndWaitsForTheWork) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    EXPECT_EQ(InLauncher([signal] {
                bool stopped = false;
                const bool finished = WorkInForeground(
                    [&](WorkProgress* progress) {
                      kill(getpid(), signal);
                      while (!progress->cancelled.load()) Nap();
                      stopped = true;
                    },
                    "working", "interrupted");
                return !finished && stopped ? 0 : 1;
              }),
              0)
        << signal;
  }
}

TEST(ForegroundTest, WhatCameBeforeTheWorkWasForTheProgram) {
  EXPECT_EQ(InLauncher([] {
              kill(getpid(), SIGINT);
              return WorkInForeground([](WorkProgress*) { Nap(); }, "working", "interrupted") ? 0
                                                                                              : 1;
            }),
            0);
}

TEST(ForegroundTest, StopAndContinueWork) {
  const pid_t pid = fork();
  if (pid == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    setpgid(0, 0);
    bool stop = true;
    WorkInForeground(
        [&](WorkProgress*) {
          if (std::exchange(stop, false)) kill(getpid(), SIGTSTP);
        },
        "working", "interrupted");
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  kill(pid, SIGCONT);
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace syncline
