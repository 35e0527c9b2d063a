// SPDX-License-Identifier: Apache-2.0
// What this collector's own code costs: a pair of callbacks around a launch, a kernel's activity
// record, and both in a region that asks for its device time; without CUPTI and without a driver.
// Prints JSON, in CPU nanoseconds of the thread.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/api_calls.h"
#include "inject/core/device_times.h"
#include "inject/core/thread_log.h"
#include "tests/fake_session/fake_session.h"

namespace {

using syncline::cuda::Cupti;

constexpr int kRounds = 25;
constexpr int kTurns = 200'000;
constexpr CUpti_CallbackId kLaunch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
const char* const kNames[8] = {
    "_Z12gemm_forwardPf",
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEEEEviT0_T1_",
    "_ZN2at6native18elementwise_kernelILi128ELi2EEEviT1_",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    "_Z11softmax_fwdPfS_i",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
    "_ZN5flash16flash_fwd_kernelE",
    "_Z6adam_wPfS_S_fffi"};

CUptiResult CUPTIAPI Name(CUpti_CallbackDomain domain, uint32_t id, const char** name) {
  const bool known = domain == CUPTI_CB_DOMAIN_RUNTIME_API && id == kLaunch;
  if (known) *name = "cudaLaunchKernel_v7000";
  return known ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI Enable(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                            CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}

template <bool kCalls, bool kRecords>
void Turns() {
  uint64_t word = 0;
  uint32_t result = 0;
  CUpti_CallbackData data{};
  data.correlationData = &word;
  data.functionReturnValue = &result;
  CUpti_ActivityKernel9 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.streamId = 7;
  kernel.contextId = 1;
  for (int i = 0; i < kTurns; ++i) {
    data.correlationId = kernel.correlationId = static_cast<uint32_t>(i + 1);
    if (kCalls) {
      data.callbackSite = CUPTI_API_ENTER;
      syncline::cuda::OnCall(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch, &data);
      data.callbackSite = CUPTI_API_EXIT;
      syncline::cuda::OnCall(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch, &data);
    }
    if (!kRecords) continue;
    kernel.name = kNames[i & 7];
    kernel.start = 1'000'000'000u + static_cast<uint64_t>(i) * 1000;
    kernel.end = kernel.start + 900;
    syncline::cuda::RecordActivity(reinterpret_cast<const CUpti_Activity&>(kernel));
  }
}

template <typename Body>
double MedianNs(Body body) {
  std::vector<double> rounds;
  for (int i = 0; i < kRounds; ++i) {
    timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    body();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double ns = static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                      static_cast<double>(after.tv_nsec - before.tv_nsec);
    rounds.push_back(ns / kTurns);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

// What following a launch and its record adds to both. Nanoseconds; negative: it was not followed.
double FollowedNs() {
  const double both = MedianNs(Turns<true, true>);
  uint64_t known = 0;
  bool is_right = true;
  const auto followed = [&] {
    const uint64_t id = syncline::BeginDeviceTime(*syncline::t_log, ++known);
    Turns<true, true>();
    syncline::EndDeviceTime(*syncline::t_log, id);
    const syncline::DeviceTime time = syncline::DeviceTimeOf(id);
    is_right = is_right && time.state == syncline::DeviceTimeState::kComplete &&
               time.busy_ns == uint64_t{kTurns} * 900;
  };
  const double with = MedianNs(followed);
  return is_right ? with - both : -1;
}

}  // namespace

int main() {
  syncline::test::DrainRings();
  Cupti cupti{};
  cupti.cuptiGetCallbackName = Name;
  cupti.cuptiEnableCallback = Enable;
  if (syncline::cuda::WatchCalls(cupti, nullptr, false) != 1) {
    std::fputs("cuda_cost_bench: the launch is not watched\n", stderr);
    return 1;
  }
  const double pair = MedianNs(Turns<true, false>), record = MedianNs(Turns<false, true>);
  const double followed = FollowedNs();
  syncline::t_log->segment->gate = syncline::kNotProfiled;
  syncline::t_log->busy |= syncline::kHasGate;
  const double closed = MedianNs(Turns<true, false>);
  if (syncline::test::AllLosses() != 0 || followed < 0) {
    std::fputs("cuda_cost_bench: records were lost, or not followed\n", stderr);
    return 1;
  }
  std::printf(
      "{\"call_pair_ns\": %.1f, \"closed_call_pair_ns\": %.1f, \"kernel_record_ns\": %.1f, "
      "\"followed_ns\": %.1f}\n",
      pair, closed, record, followed);
  return 0;
}
