// SPDX-License-Identifier: Apache-2.0
// Opens one library after the other at the same address: replaces LIBRARY...
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

int main(int count, char** libraries) {
  ElfW(Addr) place = 0;
  int same = 1;
  for (int i = 1; i < count; ++i) {
    void* library = dlopen(libraries[i], RTLD_NOW);
    if (library == NULL) return puts(dlerror()), 1;
    struct link_map* map;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    same = same && (place == 0 || place == map->l_addr);
    place = map->l_addr;
    int (*plug)(void) = (int (*)(void))dlsym(library, "plug");
    for (int k = 0; k < 10; ++k) plug();
    dlclose(library);
  }
  puts(same ? "at one address" : "at several addresses");
  return 0;
}
