// SPDX-License-Identifier: Apache-2.0
// Kernels that take a known time, on a GPU by watching its clock.
#include "tests/simulated_gpu/facts/kernels.h"

__device__ unsigned long long g_end;
__device__ char g_symbol[1024];

__device__ void SpinFor(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
  g_end = now;
}

__global__ void facts_busy() { SpinFor(20'000'000ull); }
__global__ void facts_long() { SpinFor(300'000'000ull); }
__global__ void facts_tiny() { g_end = 1; }
template <int kWhich>
__global__ void facts_never_used() {
  g_end = kWhich;
}

namespace facts {

extern const unsigned kBusyMs = 20;

void LaunchBusy(cudaStream_t stream) { facts_busy<<<1, 1, 0, stream>>>(); }
void LaunchLong(cudaStream_t stream) { facts_long<<<1, 1, 0, stream>>>(); }
void LaunchTiny(cudaStream_t stream) { facts_tiny<<<2, 64, 0, stream>>>(); }
void LaunchBadConfiguration() { facts_tiny<<<1, 4096>>>(); }

void LaunchNeverUsed(int which, cudaStream_t stream) {
  if (which == 0) facts_never_used<0><<<1, 1, 0, stream>>>();
  if (which == 1) facts_never_used<1><<<1, 1, 0, stream>>>();
  if (which == 2) facts_never_used<2><<<1, 1, 0, stream>>>();
  if (which == 3) facts_never_used<3><<<1, 1, 0, stream>>>();
}

const void* Symbol() { return g_symbol; }

}  // namespace facts
