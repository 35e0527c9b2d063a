/* SPDX-License-Identifier: Apache-2.0 */
/* Stops itself and says when it was continued. */
#include <signal.h>

#include "range.h"

int main(void) {
  one_range("before stop");
  puts("stopping");
  fflush(stdout);
  raise(SIGSTOP);
  one_range("after stop");
  puts("continued");
  return 0;
}
