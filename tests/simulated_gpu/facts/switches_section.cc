// SPDX-License-Identifier: Apache-2.0
// Facts about switching: kinds disabled before the flush, flushes while a kernel runs, external
// ids, graphs, own clocks.
#include <cuda_runtime_api.h>

#include <string>

#include "tests/simulated_gpu/facts/cupti_client.h"
#include "tests/simulated_gpu/facts/facts.h"
#include "tests/simulated_gpu/facts/kernels.h"

namespace facts {
namespace {

constexpr auto kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
constexpr auto kRuntime = CUPTI_ACTIVITY_KIND_RUNTIME;

size_t Kernels() { return Client::Records(kKernel, 0).size(); }

void FlushAndForget() {
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(1);
  Client::Forget();
}

// What torch.profiler does: disable everything, then flush.
void DisableFacts() {
  LaunchTiny(nullptr);
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityDisable(kKernel);
  FindCupti()->cuptiActivityDisable(kRuntime);
  FindCupti()->cuptiActivityFlushAll(1);
  Fact("switch.disabled_after_the_kernel_ended", static_cast<long long>(Kernels()));
  Client::Forget();
  FindCupti()->cuptiActivityEnable(kKernel);
  FindCupti()->cuptiActivityEnable(kRuntime);
  LaunchBusy(nullptr);
  FindCupti()->cuptiActivityDisable(kKernel);
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(1);
  Fact("switch.disabled_while_the_kernel_ran", static_cast<long long>(Kernels()));
  Client::Forget();
  LaunchBusy(nullptr);
  FindCupti()->cuptiActivityEnable(kKernel);
  FlushAndForget();
  LaunchTiny(nullptr);
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(0);
  Fact("switch.enabled_again", static_cast<long long>(Kernels()));
  Client::Forget();
}

void FlushFacts() {
  LaunchBusy(nullptr);
  const uint64_t before = MonotonicNs();
  FindCupti()->cuptiActivityFlushAll(0);
  FactYesNo("flush.default_waits_for_the_device",
            MonotonicNs() - before > uint64_t{kBusyMs} * 700'000);
  Fact("flush.default_gives_running_kernels", static_cast<long long>(Kernels()));
  FindCupti()->cuptiActivityFlushAll(1);
  const auto forced = Client::Records(kKernel, 0);
  Fact("flush.forced_gives_running_kernels", static_cast<long long>(forced.size()));
  if (!forced.empty()) {
    const auto kernel = forced[0].As<CUpti_ActivityKernel9>();
    Fact("flush.forced_start", kernel.start == 0 ? "0" : "given");
    Fact("flush.forced_end", kernel.end == 0 ? "0" : "given");
  }
  Client::Forget();
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(0);
  Fact("flush.redelivered_when_complete", static_cast<long long>(Kernels()));
  FlushAndForget();
}

void ExternalFacts() {
  uint64_t last = 0;
  const auto kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  Fact("external.pop_empty", FindCupti()->cuptiActivityPopExternalCorrelationId(kind, &last));
  FindCupti()->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  FindCupti()->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
  FlushAndForget();
  FindCupti()->cuptiActivityPushExternalCorrelationId(kind, 41);
  FindCupti()->cuptiActivityPushExternalCorrelationId(kind, 42);
  LaunchTiny(nullptr);
  FindCupti()->cuptiActivityPopExternalCorrelationId(kind, &last);
  FindCupti()->cuptiActivityPopExternalCorrelationId(kind, nullptr);
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(0);
  const auto records = Client::Records(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 0);
  Fact("external.popped", static_cast<long long>(last));
  Fact("external.records_of_one_launch", static_cast<long long>(records.size()));
  if (!records.empty()) {
    Fact("external.id",
         static_cast<long long>(records[0].As<CUpti_ActivityExternalCorrelation>().externalId));
  }
  FindCupti()->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  FindCupti()->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DRIVER);
  FlushAndForget();
}

// Launches a graph of two kernels once, and says what records it left.
void LaunchGraph(const std::string& key) {
  cudaStream_t stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  LaunchTiny(stream);
  LaunchTiny(stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  FlushAndForget();
  cudaGraphLaunch(exec, stream);
  cudaDeviceSynchronize();
  FindCupti()->cuptiActivityFlushAll(0);
  const auto kernels = Client::Records(kKernel, 0);
  Fact(key + ".kernel_records", static_cast<long long>(kernels.size()));
  Fact(key + ".graph_records",
       static_cast<long long>(Client::Records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, 0).size()));
  if (kernels.size() < 2) return;
  const auto first = kernels[0].As<CUpti_ActivityKernel9>(),
             second = kernels[1].As<CUpti_ActivityKernel9>();
  FactYesNo(key + ".nodes_share_correlation", first.correlationId == second.correlationId);
  FactYesNo(key + ".graph_id_given", first.graphId != 0);
  FactYesNo(key + ".node_ids_differ", first.graphNodeId != second.graphNodeId);
}

uint64_t TripleClock() { return MonotonicNs() * 3; }

void ClockFacts() {
  FlushAndForget();
  FindCupti()->cuptiActivityDisable(kKernel);
  FindCupti()->cuptiActivityDisable(kRuntime);
  const CUptiResult result = FindCupti()->cuptiActivityRegisterTimestampCallback(TripleClock);
  Fact("clock.register_callback", result);
  if (result != CUPTI_SUCCESS) return;
  uint64_t now = 0;
  const uint64_t before = TripleClock();
  FindCupti()->cuptiGetTimestamp(&now);
  FactYesNo("clock.get_timestamp_uses_it", now >= before && now <= TripleClock());
  FindCupti()->cuptiActivityEnable(kKernel);
  FindCupti()->cuptiActivityEnable(kRuntime);
  const uint64_t begin = TripleClock();
  LaunchBusy(nullptr);
  cudaDeviceSynchronize();
  const uint64_t end = TripleClock();
  FindCupti()->cuptiActivityFlushAll(0);
  const auto kernels = Client::Records(kKernel, 0);
  if (kernels.empty()) return Fact("clock.kernel_times", "no record");
  const auto kernel = kernels[0].As<CUpti_ActivityKernel9>();
  const bool inside = kernel.start >= begin && kernel.end <= end;
  Fact("clock.kernel_times", kernel.start == 0 ? "zero"
                             : inside          ? "on the callback's clock"
                                               : "elsewhere");
  const auto calls = Client::Records(kRuntime, 0);
  const bool call_inside = !calls.empty() && calls[0].As<CUpti_ActivityAPI>().start >= begin &&
                           calls[0].As<CUpti_ActivityAPI>().end <= end;
  FactYesNo("clock.calls_on_the_callbacks_clock", call_inside);
}

}  // namespace

void SwitchesSection() {
  int count = 0;
  if (FindCupti() == nullptr) return Fact("switch", "absent");
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return Fact("switch", "no device");
  Client::Register();  // and no subscriber, as Kineto
  Fact("switch.enable_without_subscriber", FindCupti()->cuptiActivityEnable(kKernel));
  FindCupti()->cuptiActivityEnable(kRuntime);
  LaunchTiny(nullptr);
  LaunchBusy(nullptr);
  FlushAndForget();
  DisableFacts();
  FlushFacts();
  ExternalFacts();
  LaunchGraph("graph.node_level");
  FindCupti()->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  LaunchGraph("graph.graph_level");
  FindCupti()->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  ClockFacts();
}

}  // namespace facts
