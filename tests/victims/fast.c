/* SPDX-License-Identifier: Apache-2.0 */
/* Emits N ranges of one name on each of T threads, as fast as it can, or with a pause of P
 * microseconds after each. FILE is removed when a thread has made half of its ranges. */
#include <pthread.h>

#include "range.h"

static long count;
static useconds_t pause_us;
static const char* file;

static void* emit(void* unused) {
  for (long i = 0; i < count; ++i) {
    if (file != NULL && i == count / 2) unlink(file);
    one_range("fast");
    if (pause_us != 0) usleep(pause_us);
  }
  return unused;
}

int main(int argc, char** argv) {
  require(argc >= 3 && argc <= 5, "fast RANGES THREADS [PAUSE [FILE]]");
  count = atol(argv[1]);
  int threads = atoi(argv[2]);
  pause_us = argc >= 4 ? (useconds_t)atoi(argv[3]) : 0;
  file = argc == 5 ? argv[4] : NULL;
  pthread_t thread[64];
  for (int i = 1; i < threads; ++i)
    require(pthread_create(thread + i, NULL, emit, NULL) == 0, "pthread_create");
  emit(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
  puts("done");
  return 0;
}
