/* SPDX-License-Identifier: Apache-2.0 */
/* Clones as Chromium's sandbox does: a helper on the same memory whose thread-local storage is
   nowhere, or all zeros, and which ends by _exit or _Exit. With "ranges" it records first. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "range.h"

static char stack[65536] __attribute__((aligned(64)));
static char zeros[65536] __attribute__((aligned(64)));

__attribute__((no_stack_protector)) static int leave(void* status) { _exit((int)(long)status); }
__attribute__((no_stack_protector)) static int leave_too(void* status) { _Exit((int)(long)status); }

static void helper(int (*end)(void*), void* storage, long wanted) {
  int flags = CLONE_VM | CLONE_VFORK | CLONE_SETTLS | SIGCHLD, status = 0;
  pid_t pid = clone(end, stack + sizeof(stack), flags, (void*)wanted, NULL, storage, NULL);
  require(pid > 0, "clone");
  require(waitpid(pid, &status, 0) == pid, "waitpid");
  printf("%ld %s\n", wanted,
         WIFEXITED(status) && WEXITSTATUS(status) == wanted ? "exited" : "was killed");
}

int main(int argc, char** argv) {
  int records = argc > 1 && strcmp(argv[1], "ranges") == 0;
  if (records) one_range("before");
  helper(leave, NULL, 3);
  helper(leave, zeros + sizeof(zeros) / 2, 4);
  helper(leave_too, NULL, 5);
  helper(leave_too, zeros + sizeof(zeros) / 2, 6);
  if (records) one_range("after");
  return 0;
}
