/* SPDX-License-Identifier: Apache-2.0 */
/* Writes 8 MiB to stdout and 1 MiB to stderr, with ranges in between. */
#include "range.h"

int main(void) {
  unsigned state = 1;
  for (int line = 0; line < 131072; ++line) {
    state = state * 1664525u + 1013904223u;
    printf("%06d %08x %.*s\n", line, state, 47,
           "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
    if (line % 8 == 0)
      fprintf(stderr, "%06d to stderr, with some text %.*s\n", line, 32,
              "0123456789012345678901234567890123456789");
    if (line % 1000 == 0) numbered_range("lines", line);
  }
  return 0;
}
