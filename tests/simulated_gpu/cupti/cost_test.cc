// SPDX-License-Identifier: Apache-2.0
// SIMGPU_CUPTI_COST: a thread's own time, where and only where a client is told something.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/test_client.h"

namespace simgpu::cupti {
namespace {

constexpr double kCostMs = 100;

struct CostTest : ::testing::Test {
  // Read once, at the first call of the process that is told.
  CostTest() { setenv("SIMGPU_CUPTI_COST", "100000us", 1); }

  static double Ms(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }
  // How many times the cost is spent. On a busy machine a thread gets less of a processor than it
  // spins for, and takes longer than it works: neither makes a difference of half the cost.
  template <typename Do>
  static void Costs(int times, const Do& what) {
    const double cpu = Ms(CLOCK_THREAD_CPUTIME_ID), wall = Ms(CLOCK_MONOTONIC);
    what();
    EXPECT_LT(Ms(CLOCK_THREAD_CPUTIME_ID) - cpu, times * kCostMs + kCostMs / 2);
    EXPECT_GE(Ms(CLOCK_MONOTONIC) - wall, times * kCostMs);
  }
  static void CUPTIAPI Ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
};

TEST_F(CostTest, ACallThatASubscriberSees) {
  FakeEngine& engine = FakeEngine::Start();
  CUpti_SubscriberHandle handle = nullptr;
  ASSERT_EQ(cuptiSubscribe(&handle, Ignore, nullptr), CUPTI_SUCCESS);
  const auto launch = [&] { engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel"); };
  Costs(0, launch);  // the callback is off
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid);
  Costs(1, launch);
  cuptiUnsubscribe(handle);
  Costs(0, launch);
}

TEST_F(CostTest, CallsInsideItCostNothingMore) {
  FakeEngine& engine = FakeEngine::Start();
  CUpti_SubscriberHandle handle = nullptr;
  ASSERT_EQ(cuptiSubscribe(&handle, Ignore, nullptr), CUPTI_SUCCESS);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_DRIVER_API);
  Costs(1, [&] {
    engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel", 0,
                [&] { engine.Call(Domain::kDriver, kDriverLaunchCbid, "cuLaunchKernel"); });
  });
}

TEST_F(CostTest, AKernelThatGetsARecord) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient::Start();
  const auto submit = [&] { engine.Submit(Kernel(1000, 2000)); };
  Costs(0, submit);  // its kind is off
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  Costs(1, submit);
}

}  // namespace
}  // namespace simgpu::cupti
