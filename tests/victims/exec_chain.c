/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes itself again N times, with a closed range and an open one before each exec, and behind
   them a command if one is given. */
#include "range.h"

int main(int argc, char** argv) {
  int left = argc > 1 ? atoi(argv[1]) : 0;
  numbered_range("closed", left);
  if (left == 0) {
    puts("end of the chain");
    return 4;
  }
  char name[32], next[16];
  snprintf(name, sizeof name, "open %d", left);
  snprintf(next, sizeof next, "%d", left - 1);
  nvtxRangePushA(name);
  char* again[] = {argv[0], next, argv[argc > 2 ? 2 : argc], NULL};
  if (argc > 2) require(system(argv[2]) == 0, argv[2]);
  execv("/proc/self/exe", again);
  require(0, "execv");
  return 1;
}
