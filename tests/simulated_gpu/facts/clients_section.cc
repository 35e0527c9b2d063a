// SPDX-License-Identifier: Apache-2.0
// Facts about two CUPTI clients in one process: a tool that was there first, and one that comes as
// torch.profiler does.
#include <cuda_runtime_api.h>

#include "tests/simulated_gpu/facts/cupti_client.h"
#include "tests/simulated_gpu/facts/facts.h"
#include "tests/simulated_gpu/facts/kernels.h"

namespace facts {
namespace {

constexpr auto kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

long long Kernels(int client) {
  return static_cast<long long>(Client::Records(kKernel, client).size());
}

void Launch(int kernels) {
  for (int i = 0; i < kernels; ++i) LaunchTiny(nullptr);
  cudaDeviceSynchronize();
}

}  // namespace

void ClientsSection() {
  int count = 0;
  if (FindCupti() == nullptr) return Fact("clients", "absent");
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return Fact("clients", "no device");
  // The first subscribes, registers and collects.
  CUpti_SubscriberHandle subscriber = nullptr;
  Client::Subscribe(&subscriber);
  FindCupti()->cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  Client::Register(0);
  FindCupti()->cuptiActivityEnable(kKernel);
  Launch(3);
  // The second neither subscribes nor asks: it registers its own callbacks, as Kineto of
  // torch 2.15.
  Fact("clients.second_register", Client::Register(1));
  Fact("clients.second_enable_of_an_enabled_kind", FindCupti()->cuptiActivityEnable(kKernel));
  Launch(2);
  FindCupti()->cuptiActivityFlushAll(1);
  Fact("clients.first_gets_kernels_of_before", Kernels(0));
  Fact("clients.second_gets_kernels", Kernels(1));
  Fact("clients.buffers_given_to_the_wrong_client", Client::UnknownBuffers());
  FactYesNo("clients.first_still_gets_callbacks", !Client::Calls().empty());
  // The second goes, and disables what it enabled: the first had it on too.
  FindCupti()->cuptiActivityDisable(kKernel);
  Client::Forget();
  Launch(2);
  FindCupti()->cuptiActivityFlushAll(1);
  Fact("clients.kernels_after_the_second_disabled", Kernels(0) + Kernels(1));
  // The first takes its place again.
  Client::Register(0);
  FindCupti()->cuptiActivityEnable(kKernel);
  Client::Forget();
  Launch(2);
  FindCupti()->cuptiActivityFlushAll(1);
  Fact("clients.first_after_registering_again", Kernels(0));
  // And the second calls finalize, as some do.
  Fact("clients.finalize_with_a_subscriber", FindCupti()->cuptiFinalize());
  Client::Forget();
  Launch(2);
  Fact("clients.flush_after_finalize", FindCupti()->cuptiActivityFlushAll(1));
  Fact("clients.callbacks_after_finalize", Client::Calls().empty() ? "none" : "some");
}

}  // namespace facts
