/* SPDX-License-Identifier: Apache-2.0 */
/* Says its arguments; also built static and for musl. */
#include <stdio.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) printf("%s\n", argv[i]);
  fputs("hello\n", stderr);
  return argc;
}
