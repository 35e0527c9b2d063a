/* SPDX-License-Identifier: Apache-2.0 */
/* Allows itself no further descriptor before its first range. */
#include <sys/resource.h>

#include "range.h"

int main(void) {
  const struct rlimit none = {3, 3};
  setrlimit(RLIMIT_NOFILE, &none);
  for (int i = 0; i < 10; ++i) one_range("few");
  puts("done");
  return 0;
}
