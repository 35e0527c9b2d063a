/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how often each signal arrives; ends at SIGQUIT and prints the counts. */
#include <signal.h>

#include "range.h"

static const int kSignals[] = {SIGHUP,  SIGINT,   SIGTERM, SIGUSR1,
                               SIGUSR2, SIGWINCH, SIGCONT, SIGQUIT};
static volatile sig_atomic_t counts[64];

static void count(int number) { ++counts[number]; }

int main(void) {
  for (unsigned i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    struct sigaction action = {.sa_handler = count};
    sigaction(kSignals[i], &action, NULL);
  }
  one_range("ready");
  puts("ready");
  fflush(stdout);
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  while (!counts[SIGQUIT]) sigsuspend(&old);
  for (unsigned i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    if (kSignals[i] != SIGCONT) printf("%s %d\n", strsignal(kSignals[i]), (int)counts[kSignals[i]]);
  }
  return 12;
}
