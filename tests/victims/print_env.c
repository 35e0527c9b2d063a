/* SPDX-License-Identifier: Apache-2.0 */
/* Prints its environment. */
#include "range.h"

extern char** environ;

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) one_range("range");
  for (char** e = environ; *e; ++e) puts(*e);
  return 0;
}
