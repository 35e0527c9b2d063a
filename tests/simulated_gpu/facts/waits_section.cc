// SPDX-License-Identifier: Apache-2.0
// The rows of docs/waits.md that can be measured: is the host held up by a kernel of 20 ms that is
// still running?
#include "tests/simulated_gpu/facts/waits.h"

#include <cstdlib>
#include <string>

#include "tests/simulated_gpu/facts/facts.h"
#include "tests/simulated_gpu/facts/kernels.h"

namespace facts {

Things::Things() {
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&non_blocking2, cudaStreamNonBlocking);
  cudaMalloc(reinterpret_cast<void**>(&device), kBig);
  cudaMalloc(reinterpret_cast<void**>(&device2), kBig);
  cudaMallocHost(reinterpret_cast<void**>(&pinned), kBig);
  cudaMallocHost(reinterpret_cast<void**>(&pinned2), kBig);
  pageable = static_cast<char*>(std::calloc(1, kBig));
  pageable2 = static_cast<char*>(std::calloc(1, kBig));
  cudaMallocManaged(reinterpret_cast<void**>(&managed), kBig, cudaMemAttachGlobal);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&other, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&never_recorded, cudaEventDisableTiming);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal);
  LaunchTiny(a);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (cudaStream_t stream :
       {legacy, a, b, non_blocking, non_blocking2}) {  // loads what is loaded lazily
    LaunchTiny(stream);
    LaunchBusy(stream);
  }
  cudaDeviceSynchronize();
}

namespace {

constexpr int kTries = 3;

void Prepare(Things& things, cudaStream_t busy) {
  cudaDeviceSynchronize();
  LaunchBusy(busy);
  cudaEventRecord(things.done, busy);
}

bool IsOver(Things& things, Action after) {
  const bool is_over = cudaEventQuery(things.done) == cudaSuccess;
  cudaDeviceSynchronize();
  if (after != nullptr) after(things);
  cudaGetLastError();
  return is_over;
}

bool BlockedOnce(Things& things, const Row& row) {
  if (row.before != nullptr) row.before(things);
  Prepare(things, things.*row.busy);
  row.call(things);
  return IsOver(things, row.after);
}

bool BlockedOnce(Things& things, const CopyRow& row) {
  Prepare(things, things.*row.busy);
  if (row.in == nullptr) {
    cudaMemcpy(things.*row.to, things.*row.from, row.bytes, cudaMemcpyDefault);
  } else {
    cudaMemcpyAsync(things.*row.to, things.*row.from, row.bytes, cudaMemcpyDefault, things.*row.in);
  }
  return IsOver(things, nullptr);
}

// A call that is merely slow may look like one that waits, never the other way round: one quick try
// is enough.
template <typename AnyRow>
bool Blocked(Things& things, const AnyRow& row) {
  for (int i = 0; i < kTries; ++i) {
    if (!BlockedOnce(things, row)) return false;
  }
  return true;
}

template <typename AnyRow>
void RowFacts(Things& things, const std::vector<AnyRow>& rows) {
  for (const AnyRow& row : rows) FactYesNo(std::string("wait.") + row.key, Blocked(things, row));
}

// Kernels that were never launched before: loading one may need the device. Each can be tried once.
void LazyLoadingFacts(Things& things) {
  static constexpr Action kFirst[kTries] = {[](Things& t) { LaunchNeverUsed(0, t.non_blocking2); },
                                            [](Things& t) { LaunchNeverUsed(1, t.non_blocking2); },
                                            [](Things& t) { LaunchNeverUsed(2, t.non_blocking2); }};
  bool always = true;
  for (const Action launch : kFirst) {
    always = BlockedOnce(things, Row{"", &Things::non_blocking, launch}) && always;
  }
  FactYesNo("wait.launch.first_of_a_kernel", always);
  FactYesNo("wait.launch.second_of_a_kernel",
            Blocked(things, Row{"", &Things::non_blocking, kFirst[0]}));
}

// How many launches fit behind a running kernel before one waits for it.
void QueueFacts(Things& things) {
  constexpr int kMost = 5000;
  LaunchLong(things.a);
  cudaDeviceSynchronize();
  LaunchLong(things.a);
  cudaEventRecord(things.done, things.a);
  int launches = 0;
  while (launches < kMost && cudaEventQuery(things.done) == cudaErrorNotReady) {
    LaunchTiny(things.a);
    ++launches;
  }
  cudaDeviceSynchronize();
  // The kernel, its event and the launch that waited are not counted alike by everyone: a round
  // figure compares better.
  FactYesNo("wait.launch.full_queue", launches < kMost);
  Fact("launch.queue_depth",
       launches >= kMost ? "more than 5000" : std::to_string(launches / 64 * 64) + " and some");
}

}  // namespace

void WaitsSection() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return Fact("wait", "no device");
  Things things;
  LazyLoadingFacts(things);
  RowFacts(things, kExplicitRows);
  RowFacts(things, kCopyRows);
  RowFacts(things, kOtherCopyRows);
  RowFacts(things, kAllocationRows);
  QueueFacts(things);
}

}  // namespace facts
