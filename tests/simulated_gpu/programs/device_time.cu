// SPDX-License-Identifier: Apache-2.0
// Regions of syncline.h that ask for their device time: a line for each with what it was told, when nothing more was to come.
// `alone`: Syncline is not there, nothing is waited for.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"
#include "collectors/program/syncline.h"

namespace {

struct Asked {
  const char* name;
  syncline_region region;
};

const char* const kStates[] = {"unknown", "pending", "at-least", "complete"};

__global__ void Short(float* x) { x[threadIdx.x] += 1; }
__global__ void Long(float* x) { x[threadIdx.x] += 2; }

syncline_region Begin(const char* name) { return syncline_region_begin_with(name, nullptr, 0, SYNCLINE_DEVICE_TIME); }

void Tell(const char* name, syncline_region region) {
  uint64_t ns = 0;
  const uint32_t state = syncline_region_device_time(region, &ns);
  std::printf("%s %s %llu\n", name, kStates[state], static_cast<unsigned long long>(ns));
}

void Wait(const std::vector<Asked>& asked, int tries) {
  uint64_t ns = 0;
  for (const Asked& each : asked) {
    while (tries-- > 0 && syncline_region_device_time(each.region, &ns) == SYNCLINE_DEVICE_PENDING) usleep(1000);
    Tell(each.name, each.region);
  }
}

// Work of all kinds, of two streams at once; a region within, and one around it that asks for nothing.
void Plain(std::vector<Asked>* asked, float* memory, float* host, const cudaStream_t* streams) {
  const syncline_region outer = Begin("outer");
  Long<<<1, 32, 0, streams[0]>>>(memory);
  const syncline_region silent = syncline_region_begin("silent");
  const syncline_region inner = Begin("inner");
  for (int i = 0; i < 3; ++i) Short<<<1, 32, 0, streams[1]>>>(memory);
  CUDA(cudaMemsetAsync(memory, 0, 1 << 16, streams[1]));
  Tell("while it is open", inner);
  syncline_region_end(inner);
  syncline_region_end(silent);
  CUDA(cudaMemcpy(host, memory, 1 << 16, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpyAsync(host, memory, 0, cudaMemcpyDeviceToHost, streams[0]));  // nothing to do
  Short<<<1, 4096>>>(memory);                                                   // refused
  CHECK(cudaGetLastError() != cudaSuccess);
  syncline_region_end(outer);
  Short<<<1, 32>>>(memory);  // in no region
  asked->push_back({"outer", outer});
  asked->push_back({"inner", inner});
  const syncline_region nothing = Begin("nothing");
  CUDA(cudaStreamSynchronize(streams[0]));
  syncline_region_end(nothing);
  asked->push_back({"nothing", nothing});
}

void Graph(std::vector<Asked>* asked, float* memory, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  const syncline_region capture = Begin("capture");
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 4; ++i) Short<<<1, 32, 0, stream>>>(memory);
  CUDA(cudaStreamEndCapture(stream, &graph));
  syncline_region_end(capture);
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  const syncline_region replay = Begin("replay");
  for (int i = 0; i < 2; ++i) CUDA(cudaGraphLaunch(exec, stream));
  syncline_region_end(replay);
  CUDA(cudaStreamSynchronize(stream));
  asked->push_back({"capture", capture});
  asked->push_back({"replay", replay});
}

void OfThread(Asked* asked, float* memory, int kernels) {
  asked->region = Begin(asked->name);
  for (int i = 0; i < kernels; ++i) Long<<<1, 32, 0, cudaStreamPerThread>>>(memory);
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  syncline_region_end(asked->region);
}

void Threads(std::vector<Asked>* asked, float* memory) {
  Asked own[] = {{"first thread", {}}, {"second thread", {}}};
  std::thread first(OfThread, &own[0], memory, 3), second(OfThread, &own[1], memory, 5);
  first.join();
  second.join();
  asked->insert(asked->end(), own, own + 2);
  const syncline_region anywhere = syncline_region_begin_with("anywhere", nullptr, 0, SYNCLINE_DEVICE_TIME | SYNCLINE_ANY_THREAD);
  Short<<<1, 32>>>(memory);
  syncline_region_end(anywhere);
  asked->push_back({"anywhere", anywhere});
}

// The fourth region within another is the last that is followed. The end of an outer one ends those in it.
void Nested(std::vector<Asked>* asked, float* memory) {
  const char* const names[] = {"nested 1", "nested 2", "nested 3", "nested 4", "nested 5"};
  for (const char* name : names) asked->push_back({name, Begin(name)});
  Short<<<1, 32>>>(memory);
  syncline_region_end(asked->at(asked->size() - 5).region);
}

// More regions than are remembered.
void Many(std::vector<Asked>* asked, float* memory) {
  std::vector<syncline_region> regions;
  for (int i = 0; i < 400; ++i) {
    regions.push_back(Begin("many"));
    Short<<<1, 32>>>(memory);
    syncline_region_end(regions.back());
  }
  asked->push_back({"forgotten", regions.front()});
  asked->push_back({"last", regions.back()});
}

}  // namespace

int main(int argc, char** argv) {
  const int tries = argc > 1 && std::strcmp(argv[1], "alone") == 0 ? 0 : 5000;
  float *memory = nullptr, *host = nullptr;
  CUDA(cudaMalloc(&memory, 1 << 20));
  CUDA(cudaMallocHost(&host, 1 << 20));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<Asked> asked;
  Plain(&asked, memory, host, streams);
  Graph(&asked, memory, streams[0]);
  Threads(&asked, memory);
  Nested(&asked, memory);
  Wait(asked, tries);
  asked.clear();
  Many(&asked, memory);
  Wait(asked, tries);
  CUDA(cudaDeviceSynchronize());
  return 0;
}
