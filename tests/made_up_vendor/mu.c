// SPDX-License-Identifier: Apache-2.0
// One device; each queue works through its tasks in order, by the clock.
#include "mu.h"

#include <pthread.h>
#include <time.h>

enum { kQueues = 16, kMostTasks = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mu_task tasks[kMostTasks];
static unsigned task_count;
static uint64_t busy_until[kQueues];
static void (*tell)(const struct mu_task*);
static uint64_t started;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((constructor)) static void start(void) { started = now(); }

uint64_t mu_clock(void) { return now() - started; }

void mu_tell(void (*done)(const struct mu_task*)) { tell = done; }

int mu_submit_tagged(uint32_t queue, uint32_t us, uint32_t tag) {
  if (queue >= kQueues) return 1;
  pthread_mutex_lock(&lock);
  const uint64_t at = mu_clock() + 20000;  // until the device has it
  const uint64_t begin = busy_until[queue] > at ? busy_until[queue] : at;
  busy_until[queue] = begin + us * UINT64_C(1000);
  if (tag != 0 && task_count < kMostTasks)
    tasks[task_count++] = (struct mu_task){0, queue, tag, begin, busy_until[queue]};
  pthread_mutex_unlock(&lock);
  return 0;
}

int mu_submit(uint32_t queue, uint32_t us) { return mu_submit_tagged(queue, us, 0); }

// Those that are done.
void mu_flush(void) {
  struct mu_task done[kMostTasks];
  unsigned count = 0, left = 0;
  pthread_mutex_lock(&lock);
  const uint64_t at = mu_clock();
  for (unsigned i = 0; i < task_count; ++i) {
    if (tasks[i].end <= at) {
      done[count++] = tasks[i];
    } else {
      tasks[left++] = tasks[i];
    }
  }
  task_count = left;
  pthread_mutex_unlock(&lock);
  for (unsigned i = 0; i < count && tell != 0; ++i) tell(&done[i]);
}

int mu_wait(uint32_t queue) {
  if (queue >= kQueues) return 1;
  pthread_mutex_lock(&lock);
  const uint64_t until = busy_until[queue] + started;
  pthread_mutex_unlock(&lock);
  const struct timespec end = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, 0) != 0) {
  }
  mu_flush();
  return 0;
}
