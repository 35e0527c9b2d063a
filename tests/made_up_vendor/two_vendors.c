// SPDX-License-Identifier: Apache-2.0
// Gives work to CUDA and to the made-up vendor in turn, and waits for each. Prints how often.
#include <dlfcn.h>
#include <stdio.h>

#include "mu.h"

enum { kTurns = 12, kQueue = 7, kBytes = 256 << 20 };

static int check(const char* what, int result) {
  if (result != 0) fprintf(stderr, "%s: error %d\n", what, result);
  return result != 0;
}

int main(void) {
  void* cuda = dlopen("libcudart.so.13", RTLD_NOW);
  if (cuda == 0) return fprintf(stderr, "%s\n", dlerror()), 1;
  int (*allocate)(void**, size_t) = (int (*)(void**, size_t))dlsym(cuda, "cudaMalloc");
  int (*stream_create)(void**) = (int (*)(void**))dlsym(cuda, "cudaStreamCreate");
  int (*set)(void*, int, size_t, void*) =
      (int (*)(void*, int, size_t, void*))dlsym(cuda, "cudaMemsetAsync");
  int (*synchronize)(void*) = (int (*)(void*))dlsym(cuda, "cudaStreamSynchronize");
  void *memory = 0, *stream = 0;
  int failed = check("cudaMalloc", allocate(&memory, kBytes));
  failed |= check("cudaStreamCreate", stream_create(&stream));
  for (int i = 0; i < kTurns && !failed; ++i) {
    failed |= check("cudaMemsetAsync", set(memory, i, kBytes, stream));
    failed |= check("mu_submit", mu_submit(kQueue, 2000));
    failed |= check("cudaStreamSynchronize", synchronize(stream));
    failed |= check("mu_wait", mu_wait(kQueue));
  }
  printf("%d\n", kTurns);
  return failed;
}
