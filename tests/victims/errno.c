/* SPDX-License-Identifier: Apache-2.0 */
/* errno belongs to the program: no NVTX call may change it, from the first on, in threads and in a
 * fork's child. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "range.h"

static void same(const char* what) {
  if (errno == 4242) return;
  printf("errno is %d after %s\n", errno, what);
  exit(1);
}

static void* all(void* unused) {
  char name[300];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  errno = 4242;
  nvtxRangePushA("range");
  same("push");
  nvtxRangePop();
  same("pop");
  nvtxMarkA(name);
  same("mark");
  nvtxRangeId_t id = nvtxRangeStartA(name);
  same("start");
  nvtxRangeEnd(id);
  same("end");
  nvtxDomainHandle_t d = nvtxDomainCreateA("d");
  same("domain create");
  nvtxDomainRegisterStringA(d, "s");
  same("register string");
  nvtxRangePop();
  same("pop too many");
  for (int i = 0; i < 20000; ++i) {
    snprintf(name, sizeof name, "%d", i);
    errno = 4242;
    one_range(name);
    same("a new name");
  }
  return unused;
}

int main(void) {
  all(NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, all, NULL);
  pthread_join(thread, NULL);
  int status = 0;
  if (fork() == 0) {
    all(NULL);
    _exit(0);
  }
  wait(&status);
  puts(status == 0 ? "errno was kept" : "child failed");
  return status != 0;
}
