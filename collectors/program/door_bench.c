/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds of a pair of region_begin and region_end, of the same with two labels, and of an
 * empty loop. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "collectors/program/syncline.h"

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const long count = argc > 1 ? atol(argv[1]) : 1000000;
  volatile uint64_t sum = 0;
  double begin = Now();
  for (long i = 0; i < count; ++i) sum += 1;
  const double empty = Now() - begin;
  begin = Now();
  for (long i = 0; i < count; ++i) sum += syncline_region_end(syncline_region_begin("bare"));
  const double bare = Now() - begin;
  begin = Now();
  for (long i = 0; i < count; ++i) {
    const syncline_label labels[] = {SYNCLINE_INTEGER("number", i), SYNCLINE_TEXT("kind", "bench")};
    sum += syncline_region_end(syncline_region_begin_with("labelled", labels, 2, 0));
  }
  const double labelled = Now() - begin;
  printf("empty %.2f  pair %.2f  labelled pair %.2f ns, recording: %d\n", empty / (double)count,
         bare / (double)count, labelled / (double)count, syncline_is_recording());
  return 0;
}
