/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of every kind: `stages PART`. Ranges are called "in ..." where a stage of `--stages
   'stage*'` is open, else "out ...". */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <wchar.h>

#include "range.h"

static pthread_barrier_t barrier;
static nvtxDomainHandle_t other;

static void meet(void) { pthread_barrier_wait(&barrier); }

static nvtxEventAttributes_t attributes(nvtxMessageType_t type, const void* message) {
  nvtxEventAttributes_t a = {0};
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.messageType = type;
  a.message.ascii = message;
  return a;
}

static void start_end(void) {
  nvtxRangeId_t first = nvtxRangeStartA("stage started");
  nvtxRangeId_t second = nvtxRangeStartA("stage overlapping");
  one_range("in started");
  nvtxRangeEnd(first);
  one_range("in overlapping");
  nvtxRangeEnd(second);
  nvtxRangeId_t outside = nvtxRangeStartA("out started");
  one_range("out of started");
  nvtxRangeEnd(outside);
}

static void kinds(void) {
  nvtxStringHandle_t registered = nvtxDomainRegisterStringA(other, "stage registered");
  nvtxEventAttributes_t by_handle = attributes(NVTX_MESSAGE_TYPE_REGISTERED, registered);
  nvtxEventAttributes_t coloured = attributes(NVTX_MESSAGE_TYPE_ASCII, "stage coloured");
  coloured.colorType = NVTX_COLOR_ARGB;
  coloured.color = 0xff00ff00;
  for (int round = 0; round < 2; ++round) { /* the second time all names are known */
    nvtxRangePushA("stage plain");
    one_range("in plain");
    nvtxMarkA("in mark");
    nvtxRangePop();
    one_range("out");
    nvtxMarkA("out mark");
    nvtxDomainRangePushEx(other, &by_handle);
    one_range("in registered");
    nvtxDomainRangePop(other);
    one_range("out");
    nvtxRangePushW(L"stage wide");
    one_range("in wide");
    nvtxRangePop();
    nvtxRangePushEx(&coloured);
    one_range("in coloured");
    nvtxRangePop();
    start_end();
  }
}

/* Push and pop of two domains cross; one stage lies in the other. */
static void crossing(void) {
  nvtxEventAttributes_t of_other = attributes(NVTX_MESSAGE_TYPE_ASCII, "stage of other");
  nvtxRangePushA("stage crossing");
  nvtxDomainRangePushEx(other, &of_other);
  one_range("in both");
  nvtxRangePop();
  one_range("in other");
  nvtxDomainRangePop(other);
  one_range("out of both");
  nvtxRangePushA("stage outer");
  nvtxRangePushA("stage inner");
  one_range("in inner");
  nvtxRangePop();
  one_range("in outer");
  nvtxRangePop();
  nvtxRangePop(); /* nothing to pop: closes nothing */
  one_range("out at last");
}

static void* of_worker(void* unused) {
  one_range("out of worker");
  nvtxRangePushA("out around");
  meet(); /* the stage is open */
  meet();
  one_range("in by another thread");
  meet();
  meet(); /* it is not any more */
  one_range("out of worker");
  nvtxRangePop();
  nvtxRangePushA("stage of worker");
  one_range("in of worker");
  meet();
  meet(); /* main has a range now */
  nvtxRangePop();
  return unused;
}

static void threads(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, of_worker, NULL);
  meet();
  nvtxRangePushA("stage of main");
  meet();
  one_range("in of main");
  meet();
  nvtxRangePop();
  meet();
  meet();
  one_range("in by worker");
  meet();
  pthread_join(worker, NULL);
  one_range("out of main");
}

static void forks(void) {
  nvtxRangePushA("stage forking");
  pid_t child = fork();
  require(child >= 0, "fork");
  if (child == 0) {
    one_range("in child");
    exit(0);
  }
  waitpid(child, NULL, 0);
  one_range("in parent");
  nvtxRangePop();
  child = fork();
  require(child >= 0, "fork");
  if (child == 0) {
    one_range("out of child");
    nvtxRangePushA("stage of child");
    one_range("in a child's own");
    nvtxRangePop();
    exit(0);
  }
  waitpid(child, NULL, 0);
  one_range("out of parent");
}

/* The program of docs/stages.md's table. */
static void loop(void) {
  for (int step = 0; step < 30; ++step) {
    char name[32];
    snprintf(name, sizeof name, "step %d", step);
    nvtxRangePushA(name);
    one_range("load");
    one_range("denoise");
    one_range("vae_decode");
    nvtxRangePop();
  }
}

/* Each step begins before the one before it ends. */
static void pipeline(void) {
  nvtxRangeId_t before = 0;
  for (int step = 0; step < 9; ++step) {
    char name[32];
    snprintf(name, sizeof name, "step %d", step);
    nvtxRangeId_t id = nvtxRangeStartA(name);
    if (step != 0) nvtxRangeEnd(before);
    before = id;
    numbered_range("in", step);
  }
  nvtxRangeEnd(before);
}

/* Numbers its ranges for so many milliseconds. */
static void run_for(int milliseconds) {
  const uint64_t end = now_ns() + (uint64_t)milliseconds * 1000000u;
  for (int number = 0; now_ns() < end; ++number) {
    numbered_range("range", number);
    usleep(1000);
  }
}

static void killed(void) {
  nvtxRangePushA("out around");
  one_range("out");
  nvtxRangePushA("stage killed");
  nvtxRangePushA("in killed");
  raise(SIGKILL);
}

int main(int argc, char** argv) {
  const char* part = argc > 1 ? argv[1] : "";
  other = nvtxDomainCreateA("other");
  pthread_barrier_init(&barrier, NULL, 2);
  if (strcmp(part, "kinds") == 0) kinds();
  if (strcmp(part, "crossing") == 0) crossing();
  if (strcmp(part, "threads") == 0) threads();
  if (strcmp(part, "fork") == 0) forks();
  if (strcmp(part, "killed") == 0) killed();
  if (strcmp(part, "loop") == 0) loop();
  if (strcmp(part, "pipeline") == 0) pipeline();
  if (strcmp(part, "for") == 0) run_for(atoi(argv[2]));
  if (strcmp(part, "exec") == 0) {
    nvtxRangePushA("stage before exec");
    one_range("in before exec");
    execl(argv[0], argv[0], "crossing", (char*)NULL);
  }
  return 0;
}
