/* SPDX-License-Identifier: Apache-2.0 */
/* late_python LIBPYTHON SCRIPT...: opens the library of an interpreter when the program runs
 * already, and runs the texts in it, each once. Before the last one the process records a range on
 * a thread of its own, and gives Syncline the time to notice the library. */
#include <dlfcn.h>
#include <pthread.h>

#include "range.h"

static void* record(void* unused) {
  one_range("on a thread");
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  one_range("before");
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  void (*initialize)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
  int (*run)(const char*) = (int (*)(const char*))dlsym(library, "PyRun_SimpleString");
  int (*finalize)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
  if (initialize == NULL || run == NULL || finalize == NULL) return 2;
  initialize(0);
  int status = 0;
  for (int i = 2; i < argc; ++i) {
    if (i == argc - 1) {
      pthread_t thread;
      pthread_create(&thread, NULL, record, NULL);
      pthread_join(thread, NULL);
      usleep(1000000);
    }
    status |= run(argv[i]) != 0;
  }
  return finalize() != 0 || status;
}
