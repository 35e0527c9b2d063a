// SPDX-License-Identifier: Apache-2.0
// Facts about CUPTI with one client that has everything on: callbacks, records, ids, times,
// threads.
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulated_gpu/facts/cupti_client.h"
#include "tests/simulated_gpu/facts/facts.h"
#include "tests/simulated_gpu/facts/kernels.h"

namespace facts {
namespace {

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,   CUPTI_ACTIVITY_KIND_CUDA_EVENT,
    CUPTI_ACTIVITY_KIND_MEMORY2,           CUPTI_ACTIVITY_KIND_STREAM,
};

template <typename Record>
std::vector<Record> All(uint32_t kind) {
  std::vector<Record> all;
  for (const SeenRecord& record : Client::Records(kind, 0)) all.push_back(record.As<Record>());
  return all;
}

std::string NameOf(uint32_t domain, uint32_t cbid) {
  const char* name = nullptr;
  FindCupti()->cuptiGetCallbackName(static_cast<CUpti_CallbackDomain>(domain), cbid, &name);
  return name == nullptr ? "?" : name;
}

// "all", "none" or "some" of a count.
std::string Share(size_t part, size_t whole) {
  if (whole == 0) return "n/a";
  return part == whole ? "all" : part == 0 ? "none" : "some";
}

void SubscribeFacts(CUpti_SubscriberHandle* subscriber) {
  uint32_t version = 0;
  FindCupti()->cuptiGetVersion(&version);
  Fact("cupti.version", version);
  uint64_t now = 0;
  Fact("cupti.get_timestamp", FindCupti()->cuptiGetTimestamp(&now));
  const int64_t difference = static_cast<int64_t>(RealtimeNs() - now);
  Fact("cupti.timestamp_domain", std::abs(difference) < 1'000'000 ? "CLOCK_REALTIME" : "other");
  Fact("cupti.subscribe_first", Client::Subscribe(subscriber));
  CUpti_SubscriberHandle second = nullptr;
  Fact("cupti.subscribe_second", Client::Subscribe(&second));
  if (FindCupti()->cuptiSubscribe_v2 != nullptr) {
    char owner[128] = "";
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "facts";
    params.oldSubscriberName = owner;
    params.oldSubscriberSize = sizeof owner;
    const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
    Fact("cupti.subscribe_v2_second",
         FindCupti()->cuptiSubscribe_v2(&second, ignore, nullptr, &params));
    Fact("cupti.subscribe_v2_owner", owner);
  }
  Fact("cupti.enable_domain_null_subscriber",
       FindCupti()->cuptiEnableDomain(1, nullptr, CUPTI_CB_DOMAIN_RUNTIME_API));
  Fact("cupti.flush_before_register", FindCupti()->cuptiActivityFlushAll(0));
}

void LaunchCallFacts() {
  for (const SeenCall& call : Client::Calls()) {
    if (call.domain != CUPTI_CB_DOMAIN_RUNTIME_API ||
        call.function.find("aunchKernel") == std::string::npos)
      continue;
    Fact("call.launch_cbid", call.cbid);
    Fact("call.launch_function", call.function);
    Fact("call.launch_callback_name", NameOf(CUPTI_CB_DOMAIN_RUNTIME_API, call.cbid));
    Fact("call.launch_symbol", call.symbol);
    FactYesNo("call.launch_has_params", call.has_params);
    break;
  }
  size_t nested = 0, same = 0;
  std::set<std::string> inside_launch;
  const std::vector<SeenCall> calls = Client::Calls();
  for (size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].domain != CUPTI_CB_DOMAIN_DRIVER_API || calls[i].depth == 0) continue;
    ++nested;
    same += calls[i].correlation == calls[i - 1].correlation;
    if (calls[i - 1].function.find("aunchKernel") != std::string::npos)
      inside_launch.insert(calls[i].function);
  }
  FactYesNo("call.driver_inside_runtime", nested > 0);
  Fact("call.nested_has_same_correlation", Share(same, nested));
  std::string names;
  for (const std::string& name : inside_launch) names += (names.empty() ? "" : "+") + name;
  Fact("call.driver_inside_launch", names);
  FactYesNo("call.every_enter_has_its_exit", Client::Exits() == static_cast<int>(calls.size()));
}

void RecordFacts(uint64_t begin, uint64_t end) {
  const auto kernels = All<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  const auto runtime = All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  const auto driver = All<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
  Fact("record.kernels", static_cast<long long>(kernels.size()));
  size_t joined = 0, after_call = 0, inside = 0, ordered = 0;
  for (const auto& kernel : kernels) {
    ordered += kernel.start != 0 && kernel.start < kernel.end;
    inside += kernel.start >= begin && kernel.end <= end;
    for (const auto& call : runtime) {
      if (call.correlationId != kernel.correlationId) continue;
      ++joined;
      after_call += kernel.start >= call.start;
    }
  }
  Fact("record.kernel_joins_runtime_call", Share(joined, kernels.size()));
  Fact("record.kernel_starts_after_its_call", Share(after_call, joined));
  Fact("record.kernel_starts_before_it_ends", Share(ordered, kernels.size()));
  Fact("record.kernel_inside_host_interval", Share(inside, kernels.size()));
  if (!kernels.empty()) {
    Fact("record.kernel_name", kernels[0].name == nullptr ? "null" : kernels[0].name);
    Fact("record.default_stream_id", kernels[0].streamId);
    Fact("record.kernel_context_id", kernels[0].contextId);
    Fact("record.kernel_queued", kernels[0].queued == 0 ? "unknown" : "given");
    FactYesNo("record.kernel_completed_is_end", kernels[0].completed == kernels[0].end);
    Fact("record.kernel_graph_id", kernels[0].graphId);
    Fact("record.kernel_channel_type", kernels[0].channelType);
  }
  FactYesNo("record.driver_calls", !driver.empty());
  size_t nested = 0;
  for (const auto& call : driver) {
    nested += std::any_of(runtime.begin(), runtime.end(), [&](const CUpti_ActivityAPI& outer) {
      return outer.correlationId == call.correlationId && outer.start <= call.start &&
             call.end <= outer.end;
    });
  }
  Fact("record.driver_calls_nest_in_runtime", Share(nested, driver.size()));
  size_t failed = 0;
  for (const auto& call : runtime) failed = call.returnValue != 0 ? call.returnValue : failed;
  Fact("record.failed_launch_returns", static_cast<long long>(failed));
  if (!runtime.empty()) {
    const uint32_t thread = runtime[0].threadId;
    Fact("record.thread_id", thread == static_cast<uint32_t>(pthread_self()) ? "pthread_self, cut"
                             : thread == static_cast<uint32_t>(syscall(SYS_gettid)) ? "gettid"
                                                                                    : "other");
  }
}

void CopyFacts() {
  static const char* const kNames[] = {"pageable_to_device", "device_to_pageable",
                                       "pinned_to_device_async", "device_to_device"};
  auto copies = All<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  std::sort(copies.begin(), copies.end(),
            [](const auto& a, const auto& b) { return a.correlationId < b.correlationId; });
  Fact("record.copies", static_cast<long long>(copies.size()));
  for (size_t i = 0; i < copies.size() && i < std::size(kNames); ++i) {
    const auto& copy = copies[i];
    Fact(std::string("record.copy.") + kNames[i],
         "kind " + std::to_string(copy.copyKind) + " from " + std::to_string(copy.srcKind) +
             " to " + std::to_string(copy.dstKind) + " flags " + std::to_string(copy.flags) +
             " bytes " + std::to_string(copy.bytes));
  }
  const auto sets = All<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  Fact("record.memsets", static_cast<long long>(sets.size()));
  if (!sets.empty()) {
    Fact("record.memset",
         "value " + std::to_string(sets[0].value) + " kind " + std::to_string(sets[0].memoryKind) +
             " flags " + std::to_string(sets[0].flags) + " bytes " + std::to_string(sets[0].bytes));
  }
}

void OtherRecordFacts() {
  std::map<int, int> types;
  bool with_stream = false;
  for (const auto& sync : All<CUpti_ActivitySynchronization>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) {
    ++types[sync.type];
    with_stream =
        with_stream || (sync.type == 4 && sync.streamId != CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  }
  Fact("record.sync_event_synchronize", types[1]);
  Fact("record.sync_stream_wait_event", types[2]);
  Fact("record.sync_stream_synchronize", types[3]);
  Fact("record.sync_context_synchronize", types[4]);
  FactYesNo("record.sync_context_has_stream", with_stream);
  Fact("record.events",
       static_cast<long long>(Client::Records(CUPTI_ACTIVITY_KIND_CUDA_EVENT, 0).size()));
  Fact("record.streams",
       static_cast<long long>(Client::Records(CUPTI_ACTIVITY_KIND_STREAM, 0).size()));
  int allocations = 0, releases = 0;
  for (const auto& memory : All<CUpti_ActivityMemory3>(CUPTI_ACTIVITY_KIND_MEMORY2)) {
    allocations += memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    releases += memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  }
  Fact("record.memory_allocations", allocations);
  Fact("record.memory_releases", releases);
}

void IdFacts() {
  uint32_t device = 99, legacy = 99, per_thread = 99, created = 99;
  Fact("id.get_device", FindCupti()->cuptiGetDeviceId(nullptr, &device));
  Fact("id.device", device);
  uint32_t context = 99;
  Fact("id.get_context_null", FindCupti()->cuptiGetContextId(nullptr, &context));
  FindCupti()->cuptiGetStreamIdEx(nullptr, nullptr, 0, &legacy);
  FindCupti()->cuptiGetStreamIdEx(nullptr, nullptr, 1, &per_thread);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  FindCupti()->cuptiGetStreamIdEx(nullptr, stream, 0, &created);
  Fact("id.legacy_stream", legacy);
  FactYesNo("id.per_thread_stream_differs", per_thread != legacy);
  FactYesNo("id.created_stream_above_legacy", created > legacy);
  const char* name = nullptr;
  Fact("id.callback_name_unknown",
       FindCupti()->cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 99'999, &name));
  size_t size = 1;
  uint8_t per_thread_buffers = 9;
  Fact("attribute.per_thread_buffer",
       FindCupti()->cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size,
                                              &per_thread_buffers));
  Fact("attribute.per_thread_buffer_value", per_thread_buffers);
  size = sizeof(size_t);
  size_t device_buffer = 0;
  FindCupti()->cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size,
                                         &device_buffer);
  Fact("attribute.device_buffer_size", static_cast<long long>(device_buffer));
  size = 1;
  Fact("attribute.too_small", FindCupti()->cuptiActivityGetAttribute(
                                  CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &device_buffer));
}

// One of each thing that leaves a record.
void Work(char* device, char* pinned) {
  static char host[4096];
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  LaunchTiny(nullptr);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(device, pinned, 1024, cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(device + 4096, device, 2048, cudaMemcpyDeviceToDevice, stream);
  cudaMemsetAsync(device, 7, 512, stream);
  LaunchTiny(stream);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(nullptr, event, 0);
  cudaEventSynchronize(event);
  cudaStreamSynchronize(stream);
  LaunchBadConfiguration();
  cudaGetLastError();
  void* more = nullptr;
  cudaMalloc(&more, 4096);
  cudaFree(more);
  cudaDeviceSynchronize();
}

}  // namespace

void CuptiSection() {
  if (FindCupti() == nullptr) return Fact("cupti", "absent");
  CUpti_SubscriberHandle subscriber = nullptr;
  SubscribeFacts(&subscriber);
  Fact("cupti.register", Client::Register());
  for (const CUpti_ActivityKind kind : kKinds) {
    Fact("cupti.enable_kind_" + std::to_string(kind), FindCupti()->cuptiActivityEnable(kind));
  }
  Fact("cupti.enable_kernel_beside_concurrent",
       FindCupti()->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL));
  Fact("cupti.enable_kind_0", FindCupti()->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID));
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    return Fact("cupti.work", "no device");
  char *device = nullptr, *pinned = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&device), 1 << 16);
  cudaMallocHost(reinterpret_cast<void**>(&pinned), 1 << 16);
  Work(device, pinned);  // what happens once only (contexts, loading) is over after this
  FindCupti()->cuptiActivityFlushAll(1);
  Client::Forget();
  FindCupti()->cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  FindCupti()->cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  uint64_t begin = 0, end = 0;
  FindCupti()->cuptiGetTimestamp(&begin);
  Work(device, pinned);
  FindCupti()->cuptiGetTimestamp(&end);
  Fact("record.before_flush", static_cast<long long>(Client::Records().size()));
  Fact("cupti.flush", FindCupti()->cuptiActivityFlushAll(0));
  LaunchCallFacts();
  RecordFacts(begin, end);
  CopyFacts();
  OtherRecordFacts();
  Fact("buffer.requested_on_thread", Client::RequestedOn());
  Fact("buffer.completed_on_thread", Client::CompletedOn());
  size_t dropped = 99;
  FindCupti()->cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  Fact("record.dropped", static_cast<long long>(dropped));
  IdFacts();
  Fact("cupti.unsubscribe", FindCupti()->cuptiUnsubscribe(subscriber));
  Fact("cupti.unsubscribe_again", FindCupti()->cuptiUnsubscribe(subscriber));
  Fact("cupti.finalize", FindCupti()->cuptiFinalize());
}

}  // namespace facts
