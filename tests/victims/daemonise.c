/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes a daemon that records for some time, then writes "done" to the file that the second
 * argument names. */
#define _GNU_SOURCE
#include "range.h"

int main(int argc, char** argv) {
  require(argc == 3, "daemonise MILLISECONDS FILE");
  one_range("before daemon");
  pid_t child = fork();
  require(child >= 0, "fork");
  if (child > 0) {
    usleep(100000);
    _exit(0);
  }
  require(setsid() > 0 && close_range(0, 2, 0) == 0, "setsid");
  int steps = atoi(argv[1]) / 10;
  for (int i = 0; i < steps; ++i) {
    numbered_range("daemon", i);
    usleep(10000);
  }
  FILE* file = fopen(argv[2], "w");
  require(file != NULL, argv[2]);
  fputs("done", file);
  return fclose(file);
}
