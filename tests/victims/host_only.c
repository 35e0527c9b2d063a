/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has ranges and no GPU, and no problem: steps that read and solve, one after the
 * other. */
#include "range.h"

enum { kSteps = 20 };

static void stage(const char* name, uint64_t us) {
  nvtxRangePushA(name);
  for (const uint64_t end = now_ns() + us * 1000; now_ns() < end;) continue;
  nvtxRangePop();
}

int main(void) {
  const uint64_t begin = now_ns();
  for (int step = 0; step < kSteps; ++step) {
    nvtxRangePushA("step");
    stage("read", 500);
    stage("solve", 1500);
    nvtxRangePop();
  }
  printf("steps: %d total_ms: %.3f\n", kSteps, (double)(now_ns() - begin) / 1e6);
  return 0;
}
