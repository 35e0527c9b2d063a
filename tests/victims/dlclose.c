/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to unload Syncline, and loads and unloads a library that has its own NVTX client, recording
 * in between. */
#include <dlfcn.h>

#include "range.h"

int main(int argc, char** argv) {
  require(argc == 2, "dlclose LIBRARY");
  one_range("before");
  const char* injected = getenv("NVTX_INJECTION64_PATH");
  void* handle = injected ? dlopen(injected, RTLD_NOW) : NULL;
  for (int i = 0; handle && i < 5; ++i) dlclose(handle);
  one_range("between");
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, dlerror());
    void (*work)(void);
    *(void**)&work = dlsym(library, "user_work");
    work();
    dlclose(library);
  }
  one_range("after");
  puts("done");
  return 0;
}
