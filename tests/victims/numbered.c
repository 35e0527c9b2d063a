/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers its ranges and notes in a shared file when each had ended, for the tests that kill it.
   File: uint64 count, then the MONOTONIC time in ns after the pop of range 0, 1, ... */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "range.h"

enum { kThreads = 2, kSleepFrom = 50000 };

struct Shared {
  _Atomic uint64_t pid;
  _Atomic uint64_t threads;
  _Atomic uint64_t most; /* ranges per thread */
  _Atomic uint64_t count[kThreads];
  _Atomic uint64_t ended[];
};

static struct Shared* shared;
static uint64_t most;
static unsigned pause_ns;

static void* emit(void* argument) {
  uint64_t thread = (uint64_t)(intptr_t)argument;
  char name[32];
  nvtxRangePushA(thread ? "all of thread 1" : "all of thread 0");
  for (uint64_t i = 0; i < most; ++i) {
    snprintf(name, sizeof name, "%llu:%llu", (unsigned long long)thread, (unsigned long long)i);
    nvtxRangePushA(name);
    nvtxRangePop();
    uint64_t now = now_ns();
    atomic_store(&shared->ended[thread * most + i], now);
    atomic_store(&shared->count[thread], i + 1);
    if (pause_ns >= kSleepFrom) usleep(pause_ns / 1000);
    while (pause_ns < kSleepFrom && now_ns() < now + pause_ns) {
    }
  }
  nvtxRangePop();
  return NULL;
}

int main(int argc, char** argv) {
  require(argc == 4, "numbered FILE RANGES PAUSE_NS");
  most = strtoull(argv[2], NULL, 10);
  pause_ns = (unsigned)atoi(argv[3]);
  int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  size_t bytes = sizeof *shared + kThreads * most * 8;
  require(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0, argv[1]);
  shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  require(shared != MAP_FAILED, "mmap");
  close(fd);
  atomic_store(&shared->threads, kThreads);
  atomic_store(&shared->most, most);
  atomic_store(&shared->pid, (uint64_t)getpid());
  pthread_t thread;
  require(pthread_create(&thread, NULL, emit, (void*)1) == 0, "pthread_create");
  emit(0);
  pthread_join(thread, NULL);
  return 0;
}
