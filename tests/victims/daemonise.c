/* SPDX-License-Identifier: Apache-2.0 */
/* Becomes a daemon that records until the file GO is there, then 100 ranges more, and writes into
 * FILE how many there were. Two ranges are open when it exits; a handler, which comes after the
 * library's own, ends one of them, and the process by _exit, where the library is called again. */
#define _GNU_SOURCE
#include "range.h"

static void pop_late(void) {
  nvtxRangePop();
  _exit(0);
}

int main(int argc, char** argv) {
  require(argc == 3, "daemonise GO FILE");
  atexit(pop_late);
  one_range("before daemon");
  pid_t child = fork();
  require(child >= 0, "fork");
  if (child > 0) {
    usleep(100000);
    _exit(0);
  }
  require(setsid() > 0 && close_range(0, 2, 0) == 0, "setsid");
  int more = 100;
  int count = 0;
  while (more > 0) {
    numbered_range("daemon", count++);
    if (access(argv[1], F_OK) == 0) --more;
    usleep(10000);
  }
  FILE* file = fopen(argv[2], "w");
  require(file != NULL, argv[2]);
  fprintf(file, "%d", count);
  require(fclose(file) == 0, "close");
  nvtxRangePushA("never ended");
  nvtxRangePushA("ended by the exit handler");
  exit(0);
}
