/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the door of syncline.h, C99: regions with labels, one that ends on another thread,
 * a fork, pauses. Prints what it was told. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collectors/program/syncline.h"

static uint64_t Lasted(uint64_t ns) {
  const struct timespec time = {0, (long)ns};
  nanosleep(&time, NULL);
  return ns;
}

static void* EndIt(void* region) {
  Lasted(2000000);
  syncline_region_end(*(syncline_region*)region);
  return NULL;
}

static void AcrossThreads(void) {
  pthread_t thread;
  syncline_region region = syncline_region_begin_with("request", NULL, 0, SYNCLINE_ANY_THREAD);
  pthread_create(&thread, NULL, EndIt, &region);
  const syncline_region own = syncline_region_begin("beside");
  pthread_join(thread, NULL);
  syncline_region_end(own);
}

static void Labelled(void) {
  char name[16];
  for (int i = 0; i < 3; ++i) {
    snprintf(name, sizeof(name), "step %d", i);
    const syncline_label labels[] = {
        SYNCLINE_INTEGER("number", i - 1), SYNCLINE_TEXT("mode", i == 1 ? "eval \"x\"" : "train"),
        SYNCLINE_REAL("rate", 0.5 * i), SYNCLINE_TEXT(NULL, "no key"), SYNCLINE_TEXT("none", NULL)};
    const syncline_region step = syncline_region_begin_with(name, labels, 5, 0);
    snprintf(name, sizeof(name), "overwritten");
    const syncline_region inner = syncline_region_begin("inner");
    syncline_region_end(inner);
    syncline_region_end(step);
  }
}

int main(void) {
  errno = 77;
  Labelled();
  AcrossThreads();
  const syncline_region timed = syncline_region_begin("timed");
  Lasted(3000000);
  const uint64_t elapsed = syncline_region_end(timed);
  const int paused = syncline_pause();
  const int recording = syncline_is_recording();
  syncline_region_end(syncline_region_begin("while paused"));
  const int resumed = syncline_resume();
  syncline_region_end(syncline_region_begin("behind"));
  syncline_flush();
  const pid_t child = fork();
  if (child == 0) {
    syncline_region_end(syncline_region_begin("of the child"));
    _exit(0);
  }
  waitpid(child, NULL, 0);
  syncline_region_end((syncline_region){0, 0});
  syncline_region_end((syncline_region){12345, 1});
  const char* directory = syncline_output_dir();
  errno = 77;
  syncline_region_end(syncline_region_begin(NULL));
  printf("elapsed=%s paused=%d recording=%d resumed=%d now=%d errno=%d\n%s\n",
         elapsed == 0         ? "none"
         : elapsed >= 3000000 ? "good"
                              : "bad",
         paused, recording, resumed, syncline_is_recording(), errno,
         directory == NULL ? "(none)" : directory);
  return 0;
}
