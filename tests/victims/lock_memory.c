/* SPDX-License-Identifier: Apache-2.0 */
/* Locks all its memory, also what comes (not with "unlocked"), records, and then maps all that it
 * may: lock_memory RANGES [unlocked]. Prints how many KiB it could map, and how many more were
 * locked after recording. */
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
  const int locks = count < 3;
  const long most = locks ? 64 << 10 : 4 << 20; /* KiB; without a limit it ends */
  if (locks && mlockall(MCL_FUTURE) != 0) {
    perror("mlockall");
    return 2;
  }
  const long before = locked_kib();
  for (long i = 0; i < ranges; ++i) one_range("locked");
  const long after = locked_kib();
  long kib = 0;
  while (mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
             MAP_FAILED &&
         kib < most)
    kib += 64;
  printf("%ld %ld\n", kib, after - before);
  return 0;
}
