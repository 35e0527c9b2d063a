/* SPDX-License-Identifier: Apache-2.0 */
/* Records a closed and an open range, then ends in the way that the argument names. */
#include <pthread.h>
#include <signal.h>

#include "range.h"

static void* end_by_thread(void* how) {
  one_range("thread");
  if (!strcmp(how, "thread_exit")) exit(8);
  if (!strcmp(how, "thread_segv")) raise(SIGSEGV);
  usleep(50000);
  return NULL;
}

static int* volatile nowhere; /* a null pointer that no compiler can see through */

static void handler(int number) {
  (void)number;
  one_range("handler");
}

static void at_exit(void) { one_range("atexit"); }

static void end(const char* how) {
  pthread_t thread;
  if (!strcmp(how, "return")) return;
  if (!strcmp(how, "exit7")) exit(7);
  if (!strcmp(how, "exit255")) exit(255);
  if (!strcmp(how, "atexit")) {
    atexit(at_exit);
    exit(0);
  }
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) *nowhere = 1;
  if (!strcmp(how, "fpe")) raise(SIGFPE);
  if (!strcmp(how, "sigterm")) kill(getpid(), SIGTERM);
  if (!strcmp(how, "sigkill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "handled")) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    exit(3);
  }
  if (!strcmp(how, "_exit")) _exit(5);
  if (!strcmp(how, "_Exit")) _Exit(6);
  if (!strcmp(how, "quick_exit")) quick_exit(9);
  if (!strncmp(how, "thread_", 7)) {
    pthread_create(&thread, NULL, end_by_thread, (void*)how);
    if (!strcmp(how, "thread_outlives")) pthread_exit(NULL);
    pthread_join(thread, NULL);
  }
  exit(98);
}

int main(int argc, char** argv) {
  require(argc == 2, "endings HOW");
  puts("begin");
  fputs("to stderr\n", stderr);
  fflush(stdout);
  one_range("closed");
  nvtxRangePushA("open");
  nvtxRangePushA("open inside");
  end(argv[1]);
  return 0;
}
