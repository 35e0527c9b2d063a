/* SPDX-License-Identifier: Apache-2.0 */
/* Names with numbers in them: some count, some number things. */
#include "range.h"

enum { kEpochs = 5, kBatches = 40, kIterations = 30, kRequests = 3 };

static void numbered(const char* format, int number, int of) {
  char name[64];
  snprintf(name, sizeof name, format, number, of);
  one_range(name);
}

static void epoch(int number) {
  char name[64];
  snprintf(name, sizeof name, "epoch %d", number);
  nvtxRangePushA(name);
  for (int k = 0; k < kBatches; ++k) {
    snprintf(name, sizeof name, "batch %d/%d", k, kBatches);
    nvtxRangePushA(name);
    for (int layer = 1; layer <= 2; ++layer) numbered("layer %d", layer, 0);
    numbered("conv%d", 1 + k % 2, 0);
    nvtxRangePop();
  }
  nvtxRangePop();
}

int main(void) {
  for (int i = 1; i <= kEpochs; ++i) epoch(i);
  for (int i = 0; i < kIterations; ++i) {
    char name[64];
    snprintf(name, sizeof name, "Iteration(%d): loss %.3g", i, 0.5 / (1 + i * 100));
    one_range(name);
    snprintf(name, sizeof name, "free 0x%x", 0x7f0a10 + i * 0xabc);
    one_range(name);
  }
  for (int i = 0; i < kRequests; ++i)
    numbered("request 123e4567-e89b-12d3-a456-42661417%04x", 0xab00 + i, 0);
  one_range("step1_load");
  one_range("step2_train");
  one_range("h2d");
  one_range("step 1: read");
  return 0;
}
