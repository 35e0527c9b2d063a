// SPDX-License-Identifier: Apache-2.0
// The driver API: the forms that CUDA 12 calls by a name which CUDA 13 has given to another form.
// Each is the current one without edge data, or with a device's number as the location. Compiled
// twice.
#include "tests/simulated_gpu/driver/api.h"

namespace {

// Nothing is told of the calls inside: the program made one.
template <class Call>
CUresult Hidden(Call call) {
  ++simgpu::CurrentThread()->hidden;
  const CUresult result = call();
  --simgpu::CurrentThread()->hidden;
  return result;
}

CUmemLocation LocationOf(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

}  // namespace

// The current forms, under the names that cuda.h gives them here.
static const auto current_prefetch = cuMemPrefetchAsync;
static const auto current_capture_info = cuStreamGetCaptureInfo;
static const auto current_update_capture = cuStreamUpdateCaptureDependencies;

#undef cuMemPrefetchAsync
#undef cuStreamUpdateCaptureDependencies
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cuMemPrefetchAsync cuMemPrefetchAsync_ptsz
#define cuStreamGetCaptureInfo_v2 cuStreamGetCaptureInfo_v2_ptsz
#define cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_ptsz
#endif

SIMGPU_CALL(kContext, cuMemPrefetchAsync,
            (CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream), devPtr, count,
            dstDevice, hStream) {
  return Hidden([&] { return current_prefetch(devPtr, count, LocationOf(dstDevice), 0, hStream); });
}

SIMGPU_CALL(kContext, cuStreamGetCaptureInfo_v2,
            (CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
             CUgraph* graph_out, const CUgraphNode** dependencies_out, size_t* numDependencies_out),
            hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out) {
  return Hidden([&] {
    return current_capture_info(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                nullptr, numDependencies_out);
  });
}

SIMGPU_CALL(kContext, cuStreamUpdateCaptureDependencies,
            (CUstream hStream, CUgraphNode* dependencies, size_t numDependencies,
             unsigned int flags),
            hStream, dependencies, numDependencies, flags) {
  return Hidden([&] {
    return current_update_capture(hStream, dependencies, nullptr, numDependencies, flags);
  });
}

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#undef cuMemAdvise
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies

SIMGPU_CALL(kContext, cuMemAdvise,
            (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device), devPtr, count,
            advice, device) {
  return Hidden([&] { return cuMemAdvise_v2(devPtr, count, advice, LocationOf(device)); });
}

SIMGPU_CALL(kDriver, cuGraphGetEdges,
            (CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges), hGraph, from,
            to, numEdges) {
  return Hidden([&] { return cuGraphGetEdges_v2(hGraph, from, to, nullptr, numEdges); });
}

SIMGPU_CALL(kDriver, cuGraphNodeGetDependencies,
            (CUgraphNode hNode, CUgraphNode* dependencies, size_t* numDependencies), hNode,
            dependencies, numDependencies) {
  return Hidden(
      [&] { return cuGraphNodeGetDependencies_v2(hNode, dependencies, nullptr, numDependencies); });
}

SIMGPU_CALL(kDriver, cuGraphNodeGetDependentNodes,
            (CUgraphNode hNode, CUgraphNode* dependentNodes, size_t* numDependentNodes), hNode,
            dependentNodes, numDependentNodes) {
  return Hidden([&] {
    return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, nullptr, numDependentNodes);
  });
}

SIMGPU_CALL(kDriver, cuGraphAddDependencies,
            (CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
             size_t numDependencies),
            hGraph, from, to, numDependencies) {
  return Hidden(
      [&] { return cuGraphAddDependencies_v2(hGraph, from, to, nullptr, numDependencies); });
}

SIMGPU_CALL(kDriver, cuGraphRemoveDependencies,
            (CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
             size_t numDependencies),
            hGraph, from, to, numDependencies) {
  return Hidden(
      [&] { return cuGraphRemoveDependencies_v2(hGraph, from, to, nullptr, numDependencies); });
}
#endif
