// SPDX-License-Identifier: Apache-2.0
// NVTX around GPU work: nested ranges over two streams and a graph, two threads whose ranges cross in one stream, a domain, and
// names for the streams, the device and the context.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <atomic>
#include <thread>

#include "check.h"

__global__ void Work(float* x) { x[threadIdx.x] += 1; }

static nvtxDomainHandle_t domain;

class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

class DomainRange {
 public:
  explicit DomainRange(const char* name) {
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    nvtxDomainRangePushEx(domain, &event);
  }
  ~DomainRange() { nvtxDomainRangePop(domain); }
};

static void Nested(float* x, cudaStream_t a, cudaStream_t b) {
  const Range outer("outer");
  {
    const DomainRange inner("inner");
    Work<<<1, 128, 0, a>>>(x);
    Work<<<1, 128, 0, b>>>(x);
  }
  Work<<<1, 128, 0, a>>>(x);
  const Range nothing("launches nothing");
}

static void Graph(float* x, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Work<<<1, 128, 0, stream>>>(x);
  Work<<<1, 128, 0, stream>>>(x);
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  {
    const Range range("graph");
    CUDA(cudaGraphLaunch(exec, stream));
  }
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

// In turns: first, second, first, second. On the GPU neither range lies in the other.
static void Crossing(float* x, cudaStream_t stream) {
  std::atomic<int> turn{0};
  const auto launch_in_turns = [&](const char* name, int parity) {
    const Range range(name);
    for (int i = 0; i < 2; ++i) {
      while (turn.load() != 2 * i + parity) std::this_thread::yield();
      Work<<<1, 128, 0, stream>>>(x);
      ++turn;
    }
  };
  std::thread second(launch_in_turns, "crossing 1", 1);
  launch_in_turns("crossing 0", 0);
  second.join();
}

int main() {
  DeviceArray<float> x(1024);
  cudaStream_t a, b;
  CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  nvtxNameCudaStreamA(a, "compute");
  nvtxNameCuStreamA(reinterpret_cast<CUstream>(b), "copies");
  nvtxNameCudaDeviceA(0, "first GPU");
  domain = nvtxDomainCreateA("solver");
  Nested(x.get(), a, b);
  Graph(x.get(), a);
  Crossing(x.get(), a);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
  return 0;
}
