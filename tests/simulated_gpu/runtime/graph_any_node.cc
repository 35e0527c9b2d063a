// SPDX-License-Identifier: Apache-2.0
// The runtime API: the calls of CUDA 12 that take a graph node of any type.
#include <cstring>

#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/copy_shapes.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;

namespace {

cudaError_t ToDriver(const cudaGraphNodeParams* params, CUgraphNodeParams* driver) {
  if (params == nullptr) return cudaErrorInvalidValue;
  // The types not named below have one layout under two names.
  static_assert(sizeof *params == sizeof *driver);
  static_assert(sizeof params->alloc == sizeof driver->alloc);
  std::memcpy(driver, params, sizeof *driver);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& from = params->kernel;
      CUkernel kernel = nullptr;
      if (const cudaError_t error = simgpu::runtime::FindKernel(from.func, &kernel)) return error;
      driver->kernel = CUDA_KERNEL_NODE_PARAMS_v3{};
      driver->kernel.func = reinterpret_cast<CUfunction>(kernel);
      driver->kernel.gridDimX = from.gridDim.x;
      driver->kernel.gridDimY = from.gridDim.y;
      driver->kernel.gridDimZ = from.gridDim.z;
      driver->kernel.blockDimX = from.blockDim.x;
      driver->kernel.blockDimY = from.blockDim.y;
      driver->kernel.blockDimZ = from.blockDim.z;
      driver->kernel.sharedMemBytes = from.sharedMemBytes;
      driver->kernel.kernelParams = from.kernelParams;
      return cudaSuccess;
    }
    case cudaGraphNodeTypeMemcpy:
      driver->memcpy = CUDA_MEMCPY_NODE_PARAMS{};
      return simgpu::runtime::BoxOf(&params->memcpy.copyParams, &driver->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& from = params->memset;
      driver->memset =
          CUDA_MEMSET_NODE_PARAMS_v2{AsDevice(from.dst), from.pitch,  from.value, from.elementSize,
                                     from.width,         from.height, nullptr};
      return cudaSuccess;
    }
    default:
      return cudaSuccess;
  }
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaGraphAddNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, const cudaGraphEdgeData* dependencyData,
                size_t numDependencies, struct cudaGraphNodeParams* nodeParams),
               pGraphNode, graph, pDependencies, dependencyData, numDependencies, nodeParams) {
  CUgraphNodeParams driver;
  if (const cudaError_t error = ToDriver(nodeParams, &driver)) return error;
  const CUresult result = SIMGPU_DRIVER(cuGraphAddNode)(
      pGraphNode, graph, pDependencies, reinterpret_cast<const CUgraphEdgeData*>(dependencyData),
      numDependencies, &driver);
  if (nodeParams->type == cudaGraphNodeTypeMemAlloc)
    nodeParams->alloc.dptr = reinterpret_cast<void*>(driver.alloc.dptr);
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaGraphNodeSetParams,
               (cudaGraphNode_t node, struct cudaGraphNodeParams* nodeParams), node, nodeParams) {
  CUgraphNodeParams driver;
  if (const cudaError_t error = ToDriver(nodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphNodeSetParams)(node, &driver));
}

SIMGPU_RUNTIME(kContext, cudaGraphExecNodeSetParams,
               (cudaGraphExec_t graphExec, cudaGraphNode_t node,
                struct cudaGraphNodeParams* nodeParams),
               graphExec, node, nodeParams) {
  CUgraphNodeParams driver;
  if (const cudaError_t error = ToDriver(nodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphExecNodeSetParams)(graphExec, node, &driver));
}
