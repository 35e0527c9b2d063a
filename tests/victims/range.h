/* SPDX-License-Identifier: Apache-2.0 */
/* What the victims share: the NVTX headers, time, and a check that ends the program with a message.
 */
#pragma once

#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One closed range. */
static inline void one_range(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}

static inline void numbered_range(const char* prefix, int number) {
  char name[64];
  snprintf(name, sizeof name, "%s %d", prefix, number);
  one_range(name);
}

/* Ends the program with status 99, which no test expects, if `good` is false. */
static inline void require(int good, const char* what) {
  if (good) return;
  perror(what);
  _exit(99);
}
