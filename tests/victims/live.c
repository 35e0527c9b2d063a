/* SPDX-License-Identifier: Apache-2.0 */
/* `live SLOW FAST`: so many ranges `slow` of 20 ms, each followed by a byte that is waited for on
   stdin; then so many ranges `fast` and one that starts and ends (`across`). */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "range.h"

int main(int argc, char** argv) {
  const struct timespec slow = {0, 20000000};
  char byte;
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 3); ++i) {
    nvtxRangePushA("slow");
    nanosleep(&slow, NULL);
    nvtxRangePop();
    if (read(0, &byte, 1) != 1) return 1;
  }
  const nvtxRangeId_t across = nvtxRangeStartA("across");
  for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 0); ++i) one_range("fast");
  nvtxRangeEnd(across);
  return 0;
}
