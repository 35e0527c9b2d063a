// SPDX-License-Identifier: Apache-2.0
// Tests of the collectors' helper threads.
#include "inject/core/helper_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

namespace syncline {
namespace {

constexpr Source kSource = 3;
std::atomic<int> g_visits;
std::atomic<bool> g_go_on{true};
std::string g_name;
bool g_blocked;

uint64_t Visit() {
  if (g_visits == 0) {
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof(name));
    g_name = name;
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    g_blocked = sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGUSR2) == 1;
  }
  ++g_visits;
  return g_go_on ? kAtTheBell : kNeverAgain;
}

void Await(int visits) {
  while (g_visits < visits) std::this_thread::yield();
}

void AwaitEnd() {
  while (HelperRuns(kSource)) std::this_thread::yield();
}

TEST(HelperThread, HasANameAndNoSignalsAndHearsTheBell) {
  EXPECT_FALSE(HelperRuns(kSource));
  ASSERT_TRUE(StartHelper(kSource, "syncline-test", Visit));
  Await(1);
  EXPECT_EQ(g_name, "syncline-test");
  EXPECT_TRUE(g_blocked);
  EXPECT_FALSE(StartHelper(kSource, "second", Visit)) << "one a collector";
  EXPECT_FALSE(HelperRuns(kSource + 1)) << "another collector's";
  g_go_on = false;
  WakeHelper(kSource);
  AwaitEnd();
  EXPECT_EQ(g_visits, 2);
}

TEST(HelperThread, IsNotInAForksChildWhichMayHaveItsOwn) {
  g_go_on = true;
  g_visits = 0;
  ASSERT_TRUE(StartHelper(kSource, "syncline-test", Visit));
  Await(1);
  const pid_t child = fork();
  if (child == 0) {
    const bool inherited = HelperRuns(kSource);
    ForgetHelpers();
    g_visits = 0;
    const bool started = StartHelper(kSource, "of-the-child", Visit);
    Await(1);
    _exit(!inherited && started && HelperRuns(kSource) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(HelperRuns(kSource));
  EndHelpers();
  AwaitEnd();
}

}  // namespace
}  // namespace syncline
