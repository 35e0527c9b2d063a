/* SPDX-License-Identifier: Apache-2.0 */
/* Emits N ranges of one name on each of T threads, as fast as it can. */
#include <pthread.h>

#include "range.h"

static long count;

static void* emit(void* unused) {
  for (long i = 0; i < count; ++i) one_range("fast");
  return unused;
}

int main(int argc, char** argv) {
  require(argc == 3, "fast RANGES THREADS");
  count = atol(argv[1]);
  int threads = atoi(argv[2]);
  pthread_t thread[64];
  for (int i = 1; i < threads; ++i)
    require(pthread_create(thread + i, NULL, emit, NULL) == 0, "pthread_create");
  emit(NULL);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
  puts("done");
  return 0;
}
