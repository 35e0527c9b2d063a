// SPDX-License-Identifier: Apache-2.0
// What CUDA 12 and 13 call by one name with other parameters or other structs: each must find the form it was built for.
#include <cstring>

#include "entry.h"

__global__ void Step(float* x) { x[threadIdx.x] += 1; }

// A struct of CUDA's with bytes behind it that no call may touch.
template <class T>
struct Guarded {
  T value;
  unsigned char behind[256];
  Guarded() { std::memset(this, 0x5a, sizeof *this); }
  bool Whole() const {
    for (const unsigned char byte : behind) {
      if (byte != 0x5a) return false;
    }
    return true;
  }
};

static int Attribute(cudaDeviceAttr attribute) {
  int value = -1;
  CUDA(cudaDeviceGetAttribute(&value, attribute, 0));
  return value;
}

static void Properties() {
  Guarded<cudaDeviceProp> guarded;
  CUDA(cudaGetDeviceProperties(&guarded.value, 0));
  CHECK(guarded.Whole());
  const cudaDeviceProp& found = guarded.value;
  CHECK(std::strncmp(found.name, "Simulated", 9) == 0);
  size_t free_bytes = 0, total = 0;
  CUDA(cudaMemGetInfo(&free_bytes, &total));
  CHECK(found.totalGlobalMem == total);
#define SAME(field, attribute) CHECK(static_cast<int>(found.field) == Attribute(attribute))
  SAME(major, cudaDevAttrComputeCapabilityMajor);
  SAME(minor, cudaDevAttrComputeCapabilityMinor);
  SAME(warpSize, cudaDevAttrWarpSize);
  SAME(maxGridSize[2], cudaDevAttrMaxGridDimZ);
  SAME(multiProcessorCount, cudaDevAttrMultiProcessorCount);
  SAME(concurrentKernels, cudaDevAttrConcurrentKernels);
  SAME(pciBusID, cudaDevAttrPciBusId);
  SAME(pciDeviceID, cudaDevAttrPciDeviceId);
  SAME(pciDomainID, cudaDevAttrPciDomainId);
  SAME(asyncEngineCount, cudaDevAttrAsyncEngineCount);
  SAME(unifiedAddressing, cudaDevAttrUnifiedAddressing);
  SAME(l2CacheSize, cudaDevAttrL2CacheSize);
  SAME(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
  SAME(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
  SAME(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  SAME(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  SAME(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
  SAME(managedMemory, cudaDevAttrManagedMemory);
  SAME(cooperativeLaunch, cudaDevAttrCooperativeLaunch);
  SAME(memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported);
  SAME(clusterLaunch, cudaDevAttrClusterLaunch);
  SAME(ipcEventSupported, cudaDevAttrIpcEventSupport);
#if CUDART_VERSION < 13000
  SAME(clockRate, cudaDevAttrClockRate);
  SAME(memoryClockRate, cudaDevAttrMemoryClockRate);
  SAME(deviceOverlap, cudaDevAttrGpuOverlap);
  SAME(computeMode, cudaDevAttrComputeMode);
  SAME(singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
}

static void Pointers() {
  DeviceArray<float> x(1024);
  Guarded<cudaPointerAttributes> found;
  CUDA(cudaPointerGetAttributes(&found.value, x.get()));
  CHECK(found.Whole());
  CHECK(found.value.type == cudaMemoryTypeDevice && found.value.device == 0);
  CHECK(found.value.devicePointer == x.get());
}

static void Managed(cudaStream_t stream) {
  float* memory = nullptr;
  CUDA(cudaMallocManaged(&memory, 4096));
#if CUDART_VERSION >= 13000
  const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  CUDA(cudaMemAdvise(memory, 4096, cudaMemAdviseSetPreferredLocation, device));
  CUDA(cudaMemPrefetchAsync(memory, 4096, device, 0, stream));
  CUDA(cudaMemPrefetchAsync(memory, 4096, host, 0, stream));
#else
  CUDA(cudaMemAdvise(memory, 4096, cudaMemAdviseSetPreferredLocation, 0));
  CUDA(cudaMemPrefetchAsync(memory, 4096, 0, stream));
  CUDA(cudaMemPrefetchAsync(memory, 4096, cudaCpuDeviceId, stream));
#endif
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaFree(memory));
}

#if CUDART_VERSION >= 13000
#define EDGES nullptr,
#else
#define EDGES
#endif

static void Dependencies() {
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t a, b, c;
  CUDA(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  CUDA(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  CUDA(cudaGraphAddEmptyNode(&c, graph, nullptr, 0));
  CUDA(cudaGraphAddDependencies(graph, &a, &c, EDGES 1));
  cudaGraphNode_t from[4], to[4];
  size_t count = 4;
  CUDA(cudaGraphGetEdges(graph, from, to, EDGES & count));
  CHECK(count == 2 && from[0] == a && from[1] == a && to[0] == b && to[1] == c);
  CUDA(cudaGraphNodeGetDependencies(c, from, EDGES &(count = 4)));
  CHECK(count == 1 && from[0] == a);
  CUDA(cudaGraphNodeGetDependentNodes(a, to, EDGES &(count = 4)));
  CHECK(count == 2);
  CUDA(cudaGraphRemoveDependencies(graph, &a, &c, EDGES 1));
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, EDGES & count));
  CHECK(count == 1);
  CUDA(cudaGraphDestroy(graph));
}

static void Capture(cudaStream_t stream) {
  DeviceArray<float> x(1024);
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  Step<<<1, 32, 0, stream>>>(x.get());
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr, ended = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, EDGES & count));
  CHECK(status == cudaStreamCaptureStatusActive && id != 0 && graph != nullptr && count == 1);
  cudaGraphNode_t node = nullptr;
  CUDA(cudaGraphAddEmptyNode(&node, graph, nodes, count));
  CUDA(cudaStreamUpdateCaptureDependencies(stream, &node, EDGES 1, cudaStreamSetCaptureDependencies));
  CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, EDGES & count));
  CHECK(count == 1 && nodes[0] == node);
  CUDA(cudaStreamEndCapture(stream, &ended));
  CHECK(ended == graph);
  CUDA(cudaGraphDestroy(ended));
}

static void Events(cudaStream_t stream) {
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin, stream));
  CUDA(cudaEventRecord(end, stream));
#if CUDART_VERSION >= 13000
  CUDA(cudaDeviceSynchronize());
#else
  CUDA(cudaThreadSynchronize());
#endif
  float milliseconds = -1;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(milliseconds >= 0);
}

static void Driver() {
  void* memory = nullptr;
  CUDA(cudaMallocManaged(&memory, 4096));
  const auto address = reinterpret_cast<CUdeviceptr>(memory);
  CUmemLocation where = {};
  where.type = CU_MEM_LOCATION_TYPE_DEVICE;
#define ENTRY(name, since, version) DriverEntry<PFN_##name##_v##since>(#name, version)
  const CUmem_advise advice = CU_MEM_ADVISE_SET_READ_MOSTLY;
  CHECK(ENTRY(cuMemAdvise, 8000, 12010)(address, 4096, advice, 0) == CUDA_SUCCESS);
  CHECK(ENTRY(cuMemAdvise, 12020, 12020)(address, 4096, advice, where) == CUDA_SUCCESS);
  CHECK(ENTRY(cuMemPrefetchAsync, 8000, 12010)(address, 4096, CU_DEVICE_CPU, nullptr) == CUDA_SUCCESS);
  CHECK(ENTRY(cuMemPrefetchAsync, 12020, 12020)(address, 4096, where, 0, nullptr) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr, from = nullptr, to = nullptr;
  CHECK(ENTRY(cuGraphCreate, 10000, 10000)(&graph, 0) == CUDA_SUCCESS);
  CHECK(ENTRY(cuGraphAddEmptyNode, 10000, 10000)(&node, graph, nullptr, 0) == CUDA_SUCCESS);
  CHECK(ENTRY(cuGraphAddEmptyNode, 10000, 10000)(&to, graph, &node, 1) == CUDA_SUCCESS);
  size_t edges = 1;
  CHECK(ENTRY(cuGraphGetEdges, 10000, 12020)(graph, &from, &to, &edges) == CUDA_SUCCESS);
  CHECK(edges == 1 && from == node);
  CHECK(ENTRY(cuGraphGetEdges, 12030, 12030)(graph, nullptr, nullptr, nullptr, &edges) == CUDA_SUCCESS);
  CHECK(edges == 1);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(memory));
}

int main() {
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  Properties();
  Pointers();
  Managed(stream);
  Dependencies();
  Capture(stream);
  Events(stream);
  Driver();
  CUDA(cudaStreamDestroy(stream));
  return 0;
}
