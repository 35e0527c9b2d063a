// SPDX-License-Identifier: Apache-2.0
// Tests of when a process counts as gone.
#include "launcher/record/process_watch.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace syncline {
namespace {

// A process that ends when `channel` is closed.
pid_t Child(int channel[2]) {
  EXPECT_EQ(pipe(channel), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char c;
    close(channel[1]);
    _exit(read(channel[0], &c, 1) == 0 ? 0 : 1);
  }
  return pid;
}

void End(pid_t pid, const int channel[2]) {
  close(channel[0]);
  close(channel[1]);
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

TEST(ProcessWatchTest, AProcessIsGoneWhenItIs) {
  int channel[2];
  const pid_t pid = Child(channel);
  const ProcessWatch watch(pid);
  EXPECT_FALSE(watch.Gone());
  End(pid, channel);
  EXPECT_TRUE(watch.Gone());
}

TEST(ProcessWatchTest, AKilledProcessIsDyingUntilItIsWaitedFor) {
  int channel[2];
  const pid_t pid = Child(channel);
  const ProcessWatch watch(pid);
  EXPECT_FALSE(watch.Dying());
  EXPECT_EQ(kill(pid, SIGKILL), 0);
  while (!watch.Gone()) usleep(1000);
  EXPECT_TRUE(watch.Dying());
  End(pid, channel);
  EXPECT_FALSE(watch.Dying()) << "the number may be another one's";
}

TEST(ProcessWatchTest, AProcessLivesWithoutItsFirstThread) {
  int channel[2];
  EXPECT_EQ(pipe(channel), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(channel[1]);
    std::thread([end = channel[0]] {
      char c;
      _exit(read(end, &c, 1) == 0 ? 0 : 1);
    }).detach();
    syscall(SYS_exit, 0);  // pthread_exit() would unwind the test
  }
  const ProcessWatch watch(pid);
  usleep(20000);  // however long that takes, it is alive
  EXPECT_FALSE(watch.Dying());
  End(pid, channel);
}

TEST(ProcessWatchTest, OneOutsideThePidNamespaceIsKnownByItsHandle) {
  int channel[2];
  const pid_t pid = Child(channel);
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) GTEST_SKIP() << "this kernel has no pidfds";
  const ProcessWatch watch(0, handle);
  EXPECT_FALSE(watch.Gone());
  End(pid, channel);
  EXPECT_TRUE(watch.Gone());
}

TEST(ProcessWatchTest, OneOfWhichNothingCanBeKnownIsNotTakenForGone) {
  EXPECT_FALSE(ProcessWatch(0).Gone());
}

}  // namespace
}  // namespace syncline
