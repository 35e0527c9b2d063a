/* SPDX-License-Identifier: Apache-2.0 */
/* Makes child processes in the way that the first argument names; parent and children record
 * ranges. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "range.h"

extern char** environ;

static void wait_for(pid_t child) {
  int status = 0;
  require(child > 0 && waitpid(child, &status, 0) == child, "waitpid");
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child failed");
}

static void* thread_range(void* name) {
  one_range(name);
  return NULL;
}

static void child_work(int leave_quickly) {
  one_range("child");
  pthread_t thread;
  require(pthread_create(&thread, NULL, thread_range, "thread of child") == 0, "pthread_create");
  pthread_join(thread, NULL);
  if (leave_quickly) _exit(0);
  exit(0);
}

static void by_fork(int leave_quickly) {
  nvtxRangePushA("around fork");
  pid_t child = fork();
  if (child == 0) {
    nvtxRangePop(); /* was pushed by the parent */
    child_work(leave_quickly);
  }
  wait_for(child);
  nvtxRangePop();
}

static void by_clone(void) {
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* no fork hook sees this */
  if (child == 0) {
    one_range("child");
    _exit(0);
  }
  wait_for(child);
}

static void by_vfork(char* self) {
  char* args[] = {self, "worker", NULL};
  nvtxRangePushA("around vfork");
  pid_t child = vfork();
  if (child == 0) {
    execv("/proc/self/exe", args);
    _exit(1);
  }
  wait_for(child);
  nvtxRangePop();
}

/* The child, which has our memory, is the first to record. */
static void by_vfork_first(void) {
  pid_t child = vfork();
  if (child == 0) {
    one_range("child");
    _exit(0);
  }
  wait_for(child);
}

static void by_posix_spawn(char* self) {
  char* args[] = {self, "worker", NULL};
  pid_t child = 0;
  nvtxRangePushA("around spawn");
  require(posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ) == 0, "posix_spawn");
  wait_for(child);
  nvtxRangePop();
}

static void storm(int count) {
  for (int i = 0; i < count; ++i) {
    pid_t child = fork();
    if (child == 0) {
      numbered_range("storm", i);
      _exit(0);
    }
    require(child > 0, "fork");
    if (i % 8 == 7) {
      while (wait(NULL) > 0) {
      }
    }
  }
  while (wait(NULL) > 0) {
  }
}

static void deep(int left) {
  numbered_range("generation", left);
  if (left == 0) return;
  pid_t child = fork();
  if (child == 0) {
    deep(left - 1);
    exit(0);
  }
  wait_for(child);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "vfork_first")) by_vfork_first();
  one_range(strcmp(how, "worker") ? "parent" : "child");
  if (!strcmp(how, "fork")) by_fork(0);
  if (!strcmp(how, "fork_exit")) by_fork(1);
  if (!strcmp(how, "clone")) by_clone();
  if (!strcmp(how, "vfork")) by_vfork(argv[0]);
  if (!strcmp(how, "posix_spawn")) by_posix_spawn(argv[0]);
  if (!strcmp(how, "system")) require(system("exec \"$SPAWN_SELF\" worker") == 0, "system");
  if (!strcmp(how, "storm")) storm(atoi(argv[2]));
  if (!strcmp(how, "deep")) deep(5);
  if (strcmp(how, "worker")) one_range("parent after");
  return 0;
}
