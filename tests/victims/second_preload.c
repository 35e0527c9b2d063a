/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own preload library: counts calls of getppid and speaks when it is loaded and when the
 * process leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int calls;

__attribute__((constructor)) static void loaded(void) { puts("second preload: loaded"); }

pid_t getppid(void) {
  ++calls;
  pid_t (*real)(void);
  *(void**)&real = dlsym(RTLD_NEXT, "getppid");
  return real();
}

void _exit(int status) {
  printf("second preload: _exit, %s calls\n", calls > 0 ? "some" : "no");
  fflush(stdout);
  _Exit(status);
}
