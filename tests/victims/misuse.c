/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do wrong with NVTX: pops without a push, ends of unknown ranges, a pop on another
 * thread, null names. */
#include <pthread.h>

#include "range.h"

static void* pop_elsewhere(void* unused) {
  nvtxRangePop();
  return unused;
}

int main(void) {
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangeEnd(0xdeadbeef);
  nvtxRangePushA("popped elsewhere");
  pthread_t thread;
  pthread_create(&thread, NULL, pop_elsewhere, NULL);
  pthread_join(thread, NULL);
  nvtxRangePop();
  nvtxRangePushA(NULL);
  nvtxRangePop();
  nvtxMarkA(NULL);
  nvtxRangePushEx(NULL);
  nvtxRangePop();
  nvtxEventAttributes_t a;
  memset(&a, 0, sizeof a); /* version 0, size 0, no message */
  nvtxRangePushEx(&a);
  nvtxRangePop();
  nvtxDomainHandle_t d = nvtxDomainCreateA(NULL);
  nvtxDomainRangePushEx(d, &a);
  nvtxDomainRangePop(d);
  nvtxRangeStartA("never ended");
  one_range("good");
  nvtxRangePushA("open at exit");
  return 0;
}
