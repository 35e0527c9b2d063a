// SPDX-License-Identifier: Apache-2.0
// The ways in which a program ends: with work in flight, in a function of atexit, while a thread
// waits for an event that nobody signals, after a wait that timed out, by _exit, by a system call,
// by a signal, with the last thread where the first one left early, and after lists were emptied
// and filled again while they ran, which a program should not do.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static ze_command_list_handle_t list;
static ze_kernel_handle_t kernel;
static ze_event_handle_t never;

static void Late(void) {
  Launch(list, kernel, NULL);
  puts("late calls done");
}

static void* WaitForever(void* argument) {
  zeEventHostSynchronize(never, FOREVER);
  return argument;
}

static void* LaunchLate(void* argument) {
  usleep(20000);
  Late();
  return argument;
}

static void ResetWhileRunning(void) {
  const ze_group_count_t one = {1, 1, 1};
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t again = RegularList(COMPUTE);
  for (int i = 0; i < 200; ++i) {
    ZE(zeCommandListAppendLaunchKernel(again, kernel, &one, NULL, 0, NULL));
    ZE(zeCommandListClose(again));
    ZE(zeCommandQueueExecuteCommandLists(queue, 1, &again, NULL));
    ZE(zeCommandQueueExecuteCommandLists(queue, 1, &again, NULL));
    ZE(zeCommandListReset(again));
  }
  ZE(zeCommandListDestroy(again));
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  Start();
  if (strcmp(how, "late") == 0) atexit(Late);
  list = AsyncList();
  kernel = NewKernel("in_flight");
  never = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  Launch(list, kernel, NULL);
  Launch(list, kernel, NULL);
  if (strcmp(how, "thread") == 0) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, WaitForever, NULL) == 0);
    usleep(20000);
  }
  if (strcmp(how, "first_leaves") == 0) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, LaunchLate, NULL) == 0);
    pthread_exit(NULL);
  }
  if (strcmp(how, "syscall") == 0) { /* as Go programs leave; with an idle device */
    usleep(700000);
    syscall(SYS_exit_group, 5);
  }
  if (strcmp(how, "timeout") == 0)
    ZE_GIVES(ZE_RESULT_NOT_READY, zeEventHostSynchronize(never, 3000000));
  if (strcmp(how, "reset") == 0) ResetWhileRunning();
  if (strcmp(how, "_exit") == 0) _exit(3);
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  return Done();
}
