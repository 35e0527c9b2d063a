/* SPDX-License-Identifier: Apache-2.0 */
/* Locks all its memory, also what comes, and then uses all that it may lock: lock_memory RANGES.
 * Prints how many KiB it could have of the limit, and how many are locked in its status. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "range.h"

static long locked_kib(void) {
  char line[256];
  long kib = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof(line), status) != NULL)
    sscanf(line, "VmLck: %ld", &kib);
  if (status != NULL) fclose(status);
  return kib;
}

int main(int count, char** arguments) {
  const long ranges = count > 1 ? atol(arguments[1]) : 1;
  if (mlockall(MCL_FUTURE) != 0) {
    perror("mlockall");
    return 2;
  }
  const long before = locked_kib();
  for (long i = 0; i < ranges; ++i) one_range("locked");
  const long after = locked_kib();
  long kib = 0;
  while (mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
             MAP_FAILED &&
         kib < 65536)
    kib += 64;
  printf("%ld %ld\n", kib, after - before);
  return 0;
}
