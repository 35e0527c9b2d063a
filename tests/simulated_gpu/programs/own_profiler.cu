// SPDX-License-Identifier: Apache-2.0
// A program that profiles itself through CUPTI, several times, with work before, between and after:
// as torch.profiler does (it never subscribes), as a tool that subscribes does, and as those that
// do not care for order. Says for each session what it was told, which is what it is told bare.
//
// own_profiler [first] SESSION...   those named, in this order; first: one begins before CUDA does
#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

#include "check.h"

__global__ void Before(float* x) { x[threadIdx.x] += 1; }
__global__ void Profiled(float* x) { x[threadIdx.x] *= 2; }
__global__ void Between(float* x) { x[threadIdx.x] -= 1; }

#define CUPTI(call) CHECK((call) == CUPTI_SUCCESS)

constexpr CUpti_ActivityKind kKernels = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

struct Told {
  int kernels, other_kernels, calls, outside;
  uint64_t first, last;  // times of kernels
};
static Told told = {};
static int given = 0, back = 0;  // buffers
static int callbacks = 0;

static uint64_t Now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// A clock of its own, far from any other.
constexpr uint64_t kOwnEpoch = uint64_t{7} << 52;
static uint64_t OwnClock() { return Now(CLOCK_MONOTONIC) + kOwnEpoch; }

static void CUPTIAPI Request(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
  __atomic_add_fetch(&given, 1, __ATOMIC_RELAXED);
}

static void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    told.calls += record->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    if (record->kind != kKernels) continue;
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel4*>(record);
    const bool ours = std::strstr(kernel->name, "Profiled") != nullptr;
    (ours ? told.kernels : told.other_kernels)++;
    if (told.first == 0 || kernel->start < told.first) told.first = kernel->start;
    if (kernel->end > told.last) told.last = kernel->end;
  }
  std::free(buffer);
  __atomic_add_fetch(&back, 1, __ATOMIC_RELAXED);
}

static void CUPTIAPI OnCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  ++callbacks;
}

static void Work(float* x, int kernels) {
  for (int i = 0; i < kernels; ++i) Profiled<<<1, 256>>>(x);
  CUDA(cudaDeviceSynchronize());
}

// Kineto's order: its clock, its functions, its kinds; off with all of them, then one flush.
static void Torch(float* x) {
  CUPTI(cuptiActivityRegisterTimestampCallback(OwnClock));
  CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
  CUPTI(cuptiActivityEnable(kKernels));
  CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
  const uint64_t begin = OwnClock();
  Work(x, 5);
  CUPTI(cuptiActivityDisable(kKernels));
  CUPTI(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME));
  CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  told.outside = told.first < begin || told.last > OwnClock();
}

static void First(float* x) {
  Work(x, 2);
  CUPTI(cuptiActivityDisable(kKernels));
  CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
}

// Registers its functions and its clock the first time only.
static void Again(float* x) {
  CUPTI(cuptiActivityEnable(kKernels));
  const uint64_t begin = OwnClock();
  Work(x, 3);
  CUPTI(cuptiActivityDisable(kKernels));
  CUPTI(cuptiActivityFlushAll(0));
  told.outside = told.first < begin || told.last > OwnClock();
}

// A session in which nothing happens is not flushed by Kineto.
static void Empty(float*) {
  CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
  CUPTI(cuptiActivityEnable(kKernels));
  CUPTI(cuptiActivityDisable(kKernels));
  const timespec a_while = {3, 500'000'000};
  nanosleep(&a_while, nullptr);
}

static void Subscriber(float* x) {
  CUpti_SubscriberHandle subscriber;
  CUPTI(cuptiSubscribe(&subscriber, OnCall, nullptr));
  CUPTI(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  Work(x, 2);
  CUPTI(cuptiUnsubscribe(subscriber));
}

// Flushes while a kernel is running, and once more at the end.
static void Early(float* x) {
  CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
  CUPTI(cuptiActivityEnable(kKernels));
  for (int i = 0; i < 4; ++i) Profiled<<<1, 256>>>(x);
  CUPTI(cuptiActivityDisable(kKernels));
  CUPTI(cuptiActivityFlushAll(0));
  CUDA(cudaDeviceSynchronize());
  CUPTI(cuptiActivityFlushAll(0));
}

// Takes CUPTI down, as with TEARDOWN_CUPTI.
static void Finalize(float* x) {
  CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
  CUPTI(cuptiActivityEnable(kKernels));
  Work(x, 2);
  CUPTI(cuptiActivityDisable(kKernels));
  CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  CUPTI(cuptiFinalize());
  const timespec a_while = {3, 500'000'000};
  nanosleep(&a_while, nullptr);
}

// Switches off and flushes what it never began.
static void Careless(float* x) {
  Between<<<1, 256>>>(x);
  cuptiActivityDisable(kKernels);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

struct Session {
  const char* name;
  void (*run)(float* x);
};
constexpr Session kSessions[] = {
    {"torch", Torch}, {"again", Again}, {"subscriber", Subscriber}, {"careless", Careless},
    {"early", Early}, {"empty", Empty}, {"finalize", Finalize},
};

static void Run(const Session& session, float* x) {
  told = {};
  callbacks = 0;
  session.run(x);
  std::printf("%s: kernels=%d other_kernels=%d calls=%d callbacks=%d outside=%d buffers=%d\n",
              session.name, told.kernels, told.other_kernels, told.calls, callbacks, told.outside,
              __atomic_load_n(&given, __ATOMIC_RELAXED) - __atomic_load_n(&back, __ATOMIC_RELAXED));
  CUDA(cudaDeviceSynchronize());  // for whatever the session left running
  for (int i = 0; i < 4; ++i) Between<<<1, 256>>>(x);
  CUDA(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  const bool first = argc > 1 && std::strcmp(argv[1], "first") == 0;
  if (first) {
    CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
    CUPTI(cuptiActivityEnable(kKernels));
  }
  DeviceArray<float> x(256);
  if (first) Run({"first", First}, x.get());
  for (int i = 0; i < 3; ++i) Before<<<1, 256>>>(x.get());
  CUDA(cudaDeviceSynchronize());
  for (int i = first ? 2 : 1; i < argc; ++i) {
    bool known = false;
    for (const Session& session : kSessions) {
      if (std::strcmp(session.name, argv[i]) != 0) continue;
      known = true;
      Run(session, x.get());
    }
    CHECK(known);
  }
  return 0;
}
