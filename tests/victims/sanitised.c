/* SPDX-License-Identifier: Apache-2.0 */
/* Built with a sanitizer: threads, memory and ranges, and no fault of its own. */
#include <pthread.h>
#include <sys/wait.h>

#include "range.h"

static void* work(void* number) {
  for (int i = 0; i < 1000; ++i) {
    char* block = malloc(64 + (size_t)i);
    block[0] = 1;
    one_range("work");
    free(block);
  }
  numbered_range("thread", (int)(intptr_t)number);
  return NULL;
}

/* A child that records; ThreadSanitizer would end it if it started a thread. */
static void child(void) {
  pid_t pid = fork();
  if (pid == 0) {
    one_range("child");
    _exit(0);
  }
  int status = 0;
  require(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

int main(int argc, char** argv) {
  one_range("first"); /* the NVTX client's own start-up is not free of races */
  pthread_t threads[4];
  for (intptr_t i = 0; i < 4; ++i) pthread_create(threads + i, NULL, work, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  if (argc > 1 && !strcmp(argv[1], "fork")) child();
  puts("done");
  return 2;
}
