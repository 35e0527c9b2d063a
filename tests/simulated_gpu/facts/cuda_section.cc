// SPDX-License-Identifier: Apache-2.0
// Facts about the CUDA runtime: the device, errors, ordering of streams, memory kinds, capture.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/simulated_gpu/facts/facts.h"
#include "tests/simulated_gpu/facts/kernels.h"

namespace facts {
namespace {

void DeviceFacts() {
  int count = 0, runtime = 0, driver = 0;
  Fact("cuda.get_device_count", cudaGetDeviceCount(&count));
  Fact("cuda.devices", count > 0 ? "some" : "none");
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  Fact("cuda.runtime_version", runtime);
  Fact("cuda.driver_version", driver);
  Fact("cuda.driver_at_least_runtime", driver >= runtime ? "yes" : "no");
  cudaDeviceProp properties{};
  Fact("device.get_properties", cudaGetDeviceProperties(&properties, 0));
  Fact("device.name", properties.name);
  Fact("device.compute_capability",
       std::to_string(properties.major) + "." + std::to_string(properties.minor));
  Fact("device.multiprocessors", properties.multiProcessorCount);
  Fact("device.async_engines", properties.asyncEngineCount);
  Fact("device.warp_size", properties.warpSize);
  Fact("device.threads_per_block", properties.maxThreadsPerBlock);
  Fact("device.threads_per_multiprocessor", properties.maxThreadsPerMultiProcessor);
  Fact("device.shared_memory_optin", static_cast<long long>(properties.sharedMemPerBlockOptin));
  FactYesNo("device.concurrent_kernels", properties.concurrentKernels != 0);
  FactYesNo("device.memory_pools", properties.memoryPoolsSupported != 0);
  int least = 1, greatest = 1;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  Fact("device.stream_priorities", std::to_string(least) + ".." + std::to_string(greatest));
  size_t free_bytes = 0, total = 0;
  Fact("device.mem_get_info", cudaMemGetInfo(&free_bytes, &total));
  FactYesNo("device.free_below_total", free_bytes < total);
}

void ErrorFacts() {
  LaunchBadConfiguration();
  Fact("error.launch_bad_configuration", cudaGetLastError());
  Fact("error.cleared_after_get_last", cudaGetLastError());
  Fact("error.set_device_99", cudaSetDevice(99));
  cudaGetLastError();
  int on_host = 0;
  Fact("error.free_host_pointer", cudaFree(&on_host));
  cudaGetLastError();
  Fact("error.free_null", cudaFree(nullptr));
  Fact("error.free_host_null", cudaFreeHost(nullptr));
  void* huge = nullptr;
  Fact("error.malloc_too_much", cudaMalloc(&huge, size_t{1} << 50));
  Fact("error.after_out_of_memory", cudaDeviceSynchronize());
  cudaGetLastError();
  void* device = nullptr;
  cudaMalloc(&device, 16);
  Fact("error.memcpy_null_source", cudaMemcpy(device, nullptr, 16, cudaMemcpyHostToDevice));
  cudaGetLastError();
  Fact("error.memcpy_zero_bytes", cudaMemcpy(device, nullptr, 0, cudaMemcpyHostToDevice));
  cudaGetLastError();
  Fact("error.register_twice", [] {
    void* memory = std::aligned_alloc(4096, 8192);
    cudaHostRegister(memory, 8192, 0);
    const cudaError_t twice = cudaHostRegister(memory, 8192, 0);
    cudaHostUnregister(memory);
    return twice;
  }());
  cudaGetLastError();
  cudaFree(device);
}

void EventFacts() {
  cudaEvent_t start, end, untimed;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  float milliseconds = 0;
  Fact("event.query_never_recorded", cudaEventQuery(start));
  Fact("event.elapsed_never_recorded", cudaEventElapsedTime(&milliseconds, start, end));
  cudaGetLastError();
  cudaEventRecord(start, nullptr);
  LaunchBusy(nullptr);
  cudaEventRecord(end, nullptr);
  Fact("event.query_pending", cudaEventQuery(end));
  Fact("event.elapsed_pending", cudaEventElapsedTime(&milliseconds, start, end));
  Fact("stream.query_pending", cudaStreamQuery(nullptr));
  Fact("event.last_error_after_not_ready", cudaGetLastError());
  cudaEventSynchronize(end);
  Fact("event.query_complete", cudaEventQuery(end));
  cudaEventElapsedTime(&milliseconds, start, end);
  FactYesNo("event.elapsed_is_the_kernels_time",
            milliseconds > 0.9f * static_cast<float>(kBusyMs) &&
                milliseconds < 1.5f * static_cast<float>(kBusyMs));
  cudaEventRecord(untimed, nullptr);
  cudaEventSynchronize(untimed);
  Fact("event.elapsed_of_untimed", cudaEventElapsedTime(&milliseconds, start, untimed));
  cudaGetLastError();
}

// Whether two busy kernels, one in each stream, take the time of one.
bool Overlap(cudaStream_t first, cudaStream_t second) {
  cudaDeviceSynchronize();
  const uint64_t before = MonotonicNs();
  LaunchBusy(first);
  LaunchBusy(second);
  cudaDeviceSynchronize();
  return MonotonicNs() - before < uint64_t{kBusyMs} * 1'500'000;
}

// Noise makes times longer only: once is enough.
bool OverlapOnce(cudaStream_t first, cudaStream_t second) {
  for (int i = 0; i < 3; ++i) {
    if (Overlap(first, second)) return true;
  }
  return false;
}

void StreamFacts() {
  cudaStream_t a, b, non_blocking;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking);
  LaunchBusy(a);
  FactYesNo("overlap.two_blocking_streams", OverlapOnce(a, b));
  FactYesNo("overlap.one_stream", OverlapOnce(a, a));
  FactYesNo("overlap.legacy_and_blocking", OverlapOnce(nullptr, b));
  FactYesNo("overlap.legacy_and_non_blocking", OverlapOnce(nullptr, non_blocking));
  FactYesNo("overlap.legacy_and_per_thread", OverlapOnce(nullptr, cudaStreamPerThread));
  FactYesNo("overlap.blocking_and_per_thread", OverlapOnce(a, cudaStreamPerThread));
}

void MemoryFacts() {
  void *device = nullptr, *pinned = nullptr, *managed = nullptr;
  int pageable = 0;
  cudaMalloc(&device, 4096);
  cudaMallocHost(&pinned, 4096);
  cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal);
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    const cudaError_t error = cudaPointerGetAttributes(&attributes, pointer);
    cudaGetLastError();
    return error != cudaSuccess ? "error " + std::to_string(error)
                                : std::to_string(attributes.type);
  };
  Fact("pointer.type_pageable", type(&pageable));
  Fact("pointer.type_pinned", type(pinned));
  Fact("pointer.type_device", type(device));
  Fact("pointer.type_managed", type(managed));
  Fact("pointer.type_device_inside", type(static_cast<char*>(device) + 100));
  cudaMemset(device, 0x5A, 4096);
  unsigned char back[4] = {};
  cudaMemcpy(back, static_cast<char*>(device) + 4092, 4, cudaMemcpyDeviceToHost);
  FactYesNo("memory.memset_is_seen", back[0] == 0x5A && back[3] == 0x5A);
}

void CaptureFacts() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  LaunchTiny(stream);
  Fact("capture.stream_query", cudaStreamQuery(stream));
  cudaGetLastError();
  Fact("capture.end_after_refused_call", cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  LaunchTiny(stream);
  LaunchTiny(stream);
  Fact("capture.end", cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  Fact("capture.nodes", static_cast<long long>(nodes));
  cudaGraphExec_t exec = nullptr;
  Fact("graph.instantiate", cudaGraphInstantiate(&exec, graph, 0));
  Fact("graph.launch", cudaGraphLaunch(exec, stream));
  Fact("graph.synchronize", cudaStreamSynchronize(stream));
}

}  // namespace

void CudaSection() {
  DeviceFacts();
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return;
  ErrorFacts();
  EventFacts();
  StreamFacts();
  MemoryFacts();
  CaptureFacts();
}

}  // namespace facts
