/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's handler leaves whatever it interrupted by siglongjmp: jump_out JUMPS. Afterwards the
 * program records 1,000 ranges. Prints how many handlers ran. */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "range.h"

static sigjmp_buf before;
static volatile sig_atomic_t jumps;

static void handler(int number) {
  (void)number;
  ++jumps;
  siglongjmp(before, 1);
}

static void __attribute__((noinline)) record_until(int wanted) {
  while (jumps < wanted) one_range("interrupted");
}

int main(int count, char** arguments) {
  const int wanted = count > 1 ? atoi(arguments[1]) : 1;
  one_range("first"); /* NVTX's own initialisation waits for itself when it is left */
  sigsetjmp(before, 1);
  struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 300}, {0, 300}};
  if (jumps == 0) setitimer(ITIMER_REAL, &timer, NULL);
  record_until(wanted);
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  for (int i = 0; i < 1000; ++i) one_range("after");
  printf("%d\n", (int)jumps);
  return 0;
}
