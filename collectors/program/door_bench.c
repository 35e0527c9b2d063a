/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds of a pair of region_begin and region_end, of the same with two labels, of one that
 * asks for its device time, of that question, and of an empty loop. */
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
  syncline_region timed_one = syncline_region_begin("warm-up");
  syncline_region_end(timed_one);
  begin = Now();
  for (long i = 0; i < count; ++i) {
    timed_one = syncline_region_begin_with("timed", NULL, 0, SYNCLINE_DEVICE_TIME);
    sum += syncline_region_end(timed_one);
  }
  const double timed = Now() - begin;
  uint64_t known = 0;
  begin = Now();
  for (long i = 0; i < count; ++i) sum += syncline_region_device_time(timed_one, &known);
  const double asked = Now() - begin;
  printf(
      "empty %.2f  pair %.2f  labelled pair %.2f  pair with device time %.2f  its question %.2f "
      "ns, recording: %d\n",
      empty / (double)count, bare / (double)count, labelled / (double)count, timed / (double)count,
      asked / (double)count, syncline_is_recording());
  return 0;
}
