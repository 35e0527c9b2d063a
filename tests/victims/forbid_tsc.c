/* SPDX-License-Identifier: Apache-2.0 */
/* Forbids itself rdtsc after its first range, as some sandboxes do, and goes on. */
#include <pthread.h>
#include <sys/prctl.h>

#include "range.h"

static void* thread(void* unused) {
  one_range("of a thread");
  return unused;
}

int main(void) {
  one_range("first");
  require(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0, "prctl");
  for (int i = 0; i < 100000; ++i) one_range("without rdtsc");
  pthread_t other;
  require(pthread_create(&other, NULL, thread, NULL) == 0, "pthread_create");
  pthread_join(other, NULL);
  return 0;
}
