/* SPDX-License-Identifier: Apache-2.0 */
/* What the soak (tests/bench/soak.py) runs by the thousand: short lives of every kind. Each program
   takes a slot of a shared file and counts there the ranges that it begins and has ended, so that a
   kill loses no truth: what is recorded lies between the two, which differ by the ranges that
   threads were inside of. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "range.h"

struct Slot {
  _Atomic uint64_t begun;
  _Atomic uint64_t ended;
  uint64_t process; /* the slot of the first program of this process */
  uint32_t pid;
  int16_t rank;
  uint16_t forked; /* the process began by a fork, not as a program */
};

struct Truth {
  _Atomic uint64_t taken; /* slots */
  _Atomic uint64_t stop;  /* the programs that run until the end shall end */
  uint64_t silent;        /* programs started so far that record nothing; the driver counts them */
  uint64_t reserved;
  struct Slot slots[];
};

enum { kThreads = 6, kChain = 3, kBurst = 4000, kAtOnce = 10 };

static struct Truth* truth;
static uint64_t most; /* slots that the file has room for */
static struct Slot* self;
static uint64_t self_number;
static char name[32];
static _Atomic unsigned seed;

static unsigned below(unsigned limit) {
  unsigned mixed = atomic_fetch_add(&seed, 0x9e3779b9u);
  mixed = (mixed ^ mixed >> 16) * 0x45d9f3bu;
  mixed = (mixed ^ mixed >> 16) * 0x45d9f3bu;
  return (mixed ^ mixed >> 16) % limit;
}

static void open_truth(const char* path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat info;
  require(fd >= 0 && fstat(fd, &info) == 0, path);
  most = ((uint64_t)info.st_size - sizeof *truth) / sizeof *self;
  truth = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  require(truth != MAP_FAILED, "mmap");
  close(fd);
}

/* For a new program, and for a fork's child. `first`: the slot of the program that this process was
   at first, or null. */
static void take_slot(const char* first, int forked) {
  self_number = atomic_fetch_add(&truth->taken, 1);
  require(self_number < most, "no slot is left");
  self = truth->slots + self_number;
  self->process = first ? strtoull(first, NULL, 10) : self_number;
  self->rank = (int16_t)atoi(getenv("RANK"));
  self->forked = (uint16_t)forked;
  self->pid = (uint32_t)getpid();
  snprintf(name, sizeof name, "s%llu", (unsigned long long)self_number);
}

static void ranges(unsigned count, unsigned pause_us) {
  int within = (int)below(2); /* the pauses lie in the ranges: who is killed then leaves one open */
  for (unsigned i = 0; i < count; ++i) {
    atomic_fetch_add(&self->begun, 1);
    nvtxRangePushA(name);
    if (pause_us && within) usleep(pause_us);
    nvtxRangePop();
    atomic_fetch_add(&self->ended, 1);
    if (pause_us && !within) usleep(pause_us);
  }
}

static void* some_ranges(void* unused) {
  ranges(1 + below(20), below(1000));
  return unused;
}

static void* burst(void* unused) {
  for (int i = 0; i < kBurst; i += kAtOnce) {
    ranges(kAtOnce, 0);
    usleep(2500);
  }
  return unused;
}

static void threads(unsigned count, void* (*work)(void*), int join) {
  pthread_t thread[kThreads];
  for (unsigned i = 0; i < count; ++i)
    require(pthread_create(thread + i, NULL, work, NULL) == 0, "pthread_create");
  for (unsigned i = 0; i < count && join; ++i) pthread_join(thread[i], NULL);
}

/* A child that records, by fork or by a clone that no hook of fork sees; a quarter of them is
   killed. */
static void child(int raw, int generations) {
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  require(pid >= 0, "fork");
  if (pid == 0) {
    take_slot(NULL, 1);
    ranges(1 + below(20), below(1000));
    if (generations > 1) child(raw, generations - 1);
    _exit(0);
  }
  int killed = below(4) == 0;
  ranges(1 + below(10), below(500));
  if (killed) {
    usleep(below(10000));
    kill(pid, SIGKILL);
  }
  require(waitpid(pid, NULL, 0) == pid, "waitpid");
}

static void become_another(char** argv, int left) {
  char seed_text[16], first[32], what[16];
  snprintf(seed_text, sizeof seed_text, "%u", below(1u << 30));
  snprintf(first, sizeof first, "%llu", (unsigned long long)self->process);
  snprintf(what, sizeof what, "exec%d", left - 1);
  char* again[] = {argv[0], argv[1], seed_text, what, first, NULL};
  if (left) execv("/proc/self/exe", again);
  execl("/bin/true", "true", (char*)NULL); /* the last program records nothing */
  require(0, "exec");
}

static void run(char** argv) {
  const char* what = argv[3];
  if (!strcmp(what, "threads")) {
    for (unsigned wave = 1 + below(5); wave > 0; --wave)
      threads(1 + below(kThreads), some_ranges, 1);
    return;
  }
  if (!strcmp(what, "burst")) return threads(2, burst, 1);
  if (!strcmp(what, "steady")) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!atomic_load(&truth->stop)) {
      ranges(20, 0);
      threads(1, some_ranges, 1);
      usleep(200000);
    }
    return;
  }
  ranges(1 + below(40), below(2000));
  if (!strcmp(what, "fork") || !strcmp(what, "raw")) {
    if (below(2)) threads(2, some_ranges, 0); /* which go on while the process forks */
    child(what[0] == 'r', 1 + (int)below(3));
  }
  if (!strncmp(what, "exec", 4)) {
    if (below(2)) threads(2, some_ranges, 0); /* which the exec ends wherever they are */
    become_another(argv, atoi(what + 4));
  }
}

int main(int argc, char** argv) {
  require(argc >= 4, "soak TRUTH SEED short|threads|burst|steady|fork|raw|execN [FIRST SLOT]");
  open_truth(argv[1]);
  atomic_store(&seed, (unsigned)strtoul(argv[2], NULL, 10));
  take_slot(argc > 4 ? argv[4] : NULL, 0);
  run(argv);
  switch (below(4)) {
    case 0:
      _exit(0);
    case 1:
      quick_exit(0);
    case 2:
      raise(SIGTERM);
  }
  return 0;
}
