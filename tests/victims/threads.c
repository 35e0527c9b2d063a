/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that record: many short ones, some at once, thousands at once, and threads that still
 * record while the program exits. */
#define _GNU_SOURCE
#include <pthread.h>

#include "range.h"

enum { kAtOnce = 8 };

static int rounds;

static void* one(void* number) {
  numbered_range("short", (int)(intptr_t)number);
  return NULL;
}

static void* several(void* number) {
  char name[32];
  snprintf(name, sizeof name, "thread %d", (int)(intptr_t)number);
  pthread_setname_np(pthread_self(), name);
  nvtxRangePushA(name);
  for (int i = 0; i < rounds; ++i) one_range("round");
  nvtxRangePop();
  return NULL;
}

static void* forever(void* unused) {
  for (;;) {
    for (int i = 0; i < 50; ++i) one_range("still running");
    usleep(20);
  }
  return unused;
}

static pthread_barrier_t everybody;

/* All live at once; each tenth nests deeper than a thread's first ring has room for. */
static void* living(void* number) {
  pthread_barrier_wait(&everybody);
  const int nested = (intptr_t)number % 10 == 0 ? 40 : 1;
  for (int i = 0; i < nested; ++i) nvtxRangePushA("nested");
  for (int i = 0; i < rounds; ++i) one_range("living");
  for (int i = 0; i < nested; ++i) nvtxRangePop();
  pthread_barrier_wait(&everybody);
  return NULL;
}

static void live_at_once(int count) {
  pthread_t* threads = calloc((size_t)count, sizeof(*threads));
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_barrier_init(&everybody, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    require(pthread_create(threads + i, &small, living, (void*)(intptr_t)i) == 0, "pthread_create");
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
}

static void many(int count, void* (*work)(void*)) {
  pthread_t threads[kAtOnce];
  for (int begin = 0; begin < count; begin += kAtOnce) {
    int here = count - begin < kAtOnce ? count - begin : kAtOnce;
    for (int i = 0; i < here; ++i) {
      require(pthread_create(threads + i, NULL, work, (void*)(intptr_t)(begin + i)) == 0,
              "pthread_create");
    }
    for (int i = 0; i < here; ++i) pthread_join(threads[i], NULL);
  }
}

int main(int argc, char** argv) {
  require(argc > 2, "threads many|parallel|living|forever COUNT [ROUNDS]");
  int count = atoi(argv[2]);
  rounds = argc > 3 ? atoi(argv[3]) : 1;
  if (!strcmp(argv[1], "many")) many(count, one);
  if (!strcmp(argv[1], "parallel")) many(count, several);
  if (!strcmp(argv[1], "living")) live_at_once(count);
  if (!strcmp(argv[1], "forever")) {
    pthread_t thread;
    for (int i = 0; i < count; ++i)
      require(pthread_create(&thread, NULL, forever, NULL) == 0, "pthread_create");
    usleep(1000);
    one_range("before exit");
    return 11;
  }
  return 0;
}
