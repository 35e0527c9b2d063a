/* SPDX-License-Identifier: Apache-2.0 */
/* A timer's handler records while its thread is recording; every record is in the trace or counted
 * as lost. */
#include <signal.h>
#include <sys/time.h>

#include "range.h"

static volatile sig_atomic_t handled;

static void handler(int number) {
  (void)number;
  one_range("handler");
  ++handled;
}

int main(void) {
  one_range(
      "first"); /* NVTX's own initialisation waits for itself in a handler that interrupts it */
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &timer, NULL);
  long pushed = 0;
  for (uint64_t end = now_ns() + 300000000u; now_ns() < end; ++pushed) {
    one_range("main");
    if (pushed % 64 == 0) usleep(50);
  }
  struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  printf("%ld %d\n", pushed, (int)handled);
  return 0;
}
