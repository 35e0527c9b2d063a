// SPDX-License-Identifier: Apache-2.0
// The functions of the pretended engine.
#include "tests/simulated_gpu/cupti/fake_engine.h"

#include <cupti.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <deque>

namespace simgpu::cupti {
namespace {

FakeEngine* g_fake = nullptr;
int g_context = 0;  // its address is the one context

bool DeviceInfoOf(uint32_t device, DeviceInfo* info) {
  if (device > 1) return false;
  *info = {};
  info->ordinal = device;
  std::strcpy(info->name, "Simulated H100");
  info->total_memory = 80ull << 30;
  info->compute_major = 9;
  info->multiprocessors = 132;
  return true;
}

void ForEachResource(void (*tell)(const Resource*, void*), void* user) {
  Resource resource{};
  for (uint32_t device = 0; device < 2; ++device) {
    resource.kind = ResourceKind::kDevice;
    resource.device = device;
    tell(&resource, user);
  }
  resource = {};
  resource.kind = ResourceKind::kContext;
  resource.id = 1;
  resource.default_stream = 7;
  tell(&resource, user);
  resource.kind = ResourceKind::kStream;
  resource.id = 7;
  resource.context_id = 1;
  resource.default_stream = 1;
  tell(&resource, user);
}

const Engine& TheTable() {
  static const Engine& table = *[] {
    auto* engine = new Engine;
    engine->set_observer = [](const Observer* observer) {
      const Observer* before = g_fake->observer;
      g_fake->observer = observer;
      return before;
    };
    engine->api_switches = [] { return &g_fake->switches; };
    engine->categories = [] { return &g_fake->categories; };
    engine->now = NowNs;
    engine->device_count = [] { return 2u; };
    engine->device_info = DeviceInfoOf;
    engine->context_id = [](void* context) {
      return context == nullptr || context == &g_context ? 1u : 0u;
    };
    engine->stream_id = [](void*, void* stream, bool) { return stream == nullptr ? 7u : 0u; };
    engine->device_of = [](void*) { return 0u; };
    engine->graph_id = [](void*) { return 3u; };
    engine->graph_exec_id = [](void*) { return 4u; };
    engine->graph_node_id = [](void*) { return uint64_t{5}; };
    engine->for_each_resource = ForEachResource;
    engine->hide_calls = [](bool hide) { g_fake->hidden = hide; };
    engine->current_correlation = [] { return g_fake->correlation; };
    engine->unsupported = [](const char*, const char* function) {
      g_fake->unsupported.push_back(function);
    };
    return engine;
  }();
  return table;
}

}  // namespace

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

FakeEngine& FakeEngine::Start(Version version, const char* faults) {
  static auto& all_there_were =
      *new std::deque<FakeEngine>;  // CUPTI's thread may still look at one
  g_fake = &all_there_were.emplace_back();
  PresentForTest(version);
  UseFaultsForTest(faults);
  UseEngineForTest(&TheTable());
  cuptiFinalize();
  return *g_fake;
}

void FakeEngine::Call(Domain domain, uint32_t cbid, const char* function, int result,
                      const std::function<void()>& inside) {
  ApiCall call{};
  call.domain = domain;
  call.cbid = cbid;
  call.function = function;
  call.result = &result;
  call.symbol = "_Z6kernelv";
  call.context = &g_context;
  call.context_id = 1;
  call.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  call.pthread = pthread_self();
  const uint32_t outer = correlation;
  if (outer == 0) correlation = next_correlation++;
  call.correlation = correlation;
  call.start_ns = NowNs();
  const auto& on = switches.on[static_cast<int>(domain)][cbid];
  call.observed = observer != nullptr && !hidden && on.load() != 0;
  if (call.observed) observer->api_enter(&call);
  if (inside) inside();
  call.end_ns = NowNs();
  if (call.observed) observer->api_exit(&call);
  correlation = outer;
}

Operation FakeEngine::Submit(Operation operation) {
  operation.id = next_operation++;
  operation.correlation = correlation;
  if (observer != nullptr && (categories.load() & kOperations) != 0)
    observer->submitted(&operation);
  return operation;
}

void FakeEngine::Complete(Operation operation, uint64_t start_ns, uint64_t end_ns) {
  operation.start_ns = start_ns;
  operation.end_ns = end_ns;
  operation.end_known = true;
  observer->completed(&operation);
}

Operation Kernel(uint64_t start_ns, uint64_t end_ns) {
  Operation kernel;
  kernel.kind = OperationKind::kKernel;
  kernel.context_id = 1;
  kernel.stream_id = 7;
  kernel.queued_ns = start_ns;
  kernel.start_ns = start_ns;
  kernel.end_ns = end_ns;
  kernel.name = "_Z6kernelv";
  kernel.grid[0] = 4;
  kernel.grid[1] = kernel.grid[2] = 1;
  kernel.block[0] = 256;
  kernel.block[1] = kernel.block[2] = 1;
  return kernel;
}

Operation DoneKernel() {
  const uint64_t end = NowNs();
  return Kernel(end - 1'000'000, end);
}

}  // namespace simgpu::cupti
