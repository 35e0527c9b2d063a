/* SPDX-License-Identifier: Apache-2.0 */
/* Opens N ranges inside each other, then closes them all. */
#include "range.h"

int main(int argc, char** argv) {
  int depth = argc > 1 ? atoi(argv[1]) : 100;
  char name[32];
  for (int i = 0; i < depth; ++i) {
    snprintf(name, sizeof name, "level %d", i);
    nvtxRangePushA(name);
  }
  for (int i = 0; i < depth; ++i) nvtxRangePop();
  one_range("afterwards");
  return 0;
}
