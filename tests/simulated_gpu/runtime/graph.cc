// SPDX-License-Identifier: Apache-2.0
// The runtime API: graphs, their nodes and executable graphs.
#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/copy_shapes.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;

namespace {

cudaError_t FromKernel(const cudaKernelNodeParams* params, CUDA_KERNEL_NODE_PARAMS* driver) {
  if (params == nullptr) return cudaErrorInvalidValue;
  *driver = CUDA_KERNEL_NODE_PARAMS{};
  CUkernel kernel = nullptr;
  if (const cudaError_t error = simgpu::runtime::FindKernel(params->func, &kernel)) return error;
  driver->func = reinterpret_cast<CUfunction>(kernel);
  driver->gridDimX = params->gridDim.x;
  driver->gridDimY = params->gridDim.y;
  driver->gridDimZ = params->gridDim.z;
  driver->blockDimX = params->blockDim.x;
  driver->blockDimY = params->blockDim.y;
  driver->blockDimZ = params->blockDim.z;
  driver->sharedMemBytes = params->sharedMemBytes;
  driver->kernelParams = params->kernelParams;
  return cudaSuccess;
}

cudaError_t FromFill(const cudaMemsetParams* params, CUDA_MEMSET_NODE_PARAMS* driver) {
  if (params == nullptr) return cudaErrorInvalidValue;
  *driver = CUDA_MEMSET_NODE_PARAMS{};
  driver->dst = AsDevice(params->dst);
  driver->pitch = params->pitch;
  driver->value = params->value;
  driver->elementSize = params->elementSize;
  driver->width = params->width;
  driver->height = params->height;
  return cudaSuccess;
}

CUDA_HOST_NODE_PARAMS FromHost(const cudaHostNodeParams& params) {
  CUDA_HOST_NODE_PARAMS driver{};
  driver.fn = params.fn;
  driver.userData = params.userData;
  return driver;
}

CUcontext Current() {
  CUcontext context = nullptr;
  SIMGPU_DRIVER(cuCtxGetCurrent)(&context);
  return context;
}

}  // namespace

SIMGPU_RUNTIME(kDriver, cudaGraphCreate, (cudaGraph_t * pGraph, unsigned int flags), pGraph,
               flags) {
  return AsError(SIMGPU_DRIVER(cuGraphCreate)(pGraph, flags));
}

SIMGPU_RUNTIME(kDriver, cudaGraphDestroy, (cudaGraph_t graph), graph) {
  return AsError(SIMGPU_DRIVER(cuGraphDestroy)(graph));
}

SIMGPU_RUNTIME(kDriver, cudaGraphClone, (cudaGraph_t * pGraphClone, cudaGraph_t originalGraph),
               pGraphClone, originalGraph) {
  return AsError(SIMGPU_DRIVER(cuGraphClone)(pGraphClone, originalGraph));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeFindInClone,
               (cudaGraphNode_t * pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph),
               pNode, originalNode, clonedGraph) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeFindInClone)(pNode, originalNode, clonedGraph));
}

SIMGPU_RUNTIME(kDriver, cudaGraphGetNodes,
               (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes), graph, nodes,
               numNodes) {
  return AsError(SIMGPU_DRIVER(cuGraphGetNodes)(graph, nodes, numNodes));
}

SIMGPU_RUNTIME(kDriver, cudaGraphGetRootNodes,
               (cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes), graph,
               pRootNodes, pNumRootNodes) {
  return AsError(SIMGPU_DRIVER(cuGraphGetRootNodes)(graph, pRootNodes, pNumRootNodes));
}

SIMGPU_RUNTIME(kDriver, cudaGraphGetEdges,
               (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                cudaGraphEdgeData* edgeData, size_t* numEdges),
               graph, from, to, edgeData, numEdges) {
  return AsError(SIMGPU_DRIVER(cuGraphGetEdges)(
      graph, from, to, reinterpret_cast<CUgraphEdgeData*>(edgeData), numEdges));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeGetDependencies,
               (cudaGraphNode_t node, cudaGraphNode_t* pDependencies, cudaGraphEdgeData* edgeData,
                size_t* pNumDependencies),
               node, pDependencies, edgeData, pNumDependencies) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeGetDependencies)(
      node, pDependencies, reinterpret_cast<CUgraphEdgeData*>(edgeData), pNumDependencies));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeGetDependentNodes,
               (cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes, cudaGraphEdgeData* edgeData,
                size_t* pNumDependentNodes),
               node, pDependentNodes, edgeData, pNumDependentNodes) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeGetDependentNodes)(
      node, pDependentNodes, reinterpret_cast<CUgraphEdgeData*>(edgeData), pNumDependentNodes));
}

SIMGPU_RUNTIME(kDriver, cudaGraphAddDependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edgeData, size_t numDependencies),
               graph, from, to, edgeData, numDependencies) {
  return AsError(SIMGPU_DRIVER(cuGraphAddDependencies)(
      graph, from, to, reinterpret_cast<const CUgraphEdgeData*>(edgeData), numDependencies));
}

SIMGPU_RUNTIME(kDriver, cudaGraphRemoveDependencies,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edgeData, size_t numDependencies),
               graph, from, to, edgeData, numDependencies) {
  return AsError(SIMGPU_DRIVER(cuGraphRemoveDependencies)(
      graph, from, to, reinterpret_cast<const CUgraphEdgeData*>(edgeData), numDependencies));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType* pType),
               node, pType) {
  return AsError(
      SIMGPU_DRIVER(cuGraphNodeGetType)(node, reinterpret_cast<CUgraphNodeType*>(pType)));
}

SIMGPU_RUNTIME(kDriver, cudaGraphDestroyNode, (cudaGraphNode_t node), node) {
  return AsError(SIMGPU_DRIVER(cuGraphDestroyNode)(node));
}

SIMGPU_RUNTIME(kDriver, cudaGraphDebugDotPrint,
               (cudaGraph_t graph, const char* path, unsigned int flags), graph, path, flags) {
  return AsError(SIMGPU_DRIVER(cuGraphDebugDotPrint)(graph, path, flags));
}

// ---- nodes
// -------------------------------------------------------------------------------------------------------------

// All nodes begin with the same parameters.
#define ADD_NODE(name, last_type, last)                                                          \
  SIMGPU_RUNTIME(kContext, name,                                                                 \
                 (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,                               \
                  const cudaGraphNode_t* pDependencies, size_t numDependencies, last_type last), \
                 pGraphNode, graph, pDependencies, numDependencies, last)

ADD_NODE(cudaGraphAddKernelNode, const struct cudaKernelNodeParams*, pNodeParams) {
  CUDA_KERNEL_NODE_PARAMS driver;
  if (const cudaError_t error = FromKernel(pNodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphAddKernelNode)(pGraphNode, graph, pDependencies,
                                                     numDependencies, &driver));
}

ADD_NODE(cudaGraphAddMemcpyNode, const struct cudaMemcpy3DParms*, pCopyParams) {
  CUDA_MEMCPY3D box;
  if (const cudaError_t error = simgpu::runtime::BoxOf(pCopyParams, &box)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies,
                                                     numDependencies, &box, Current()));
}

ADD_NODE(cudaGraphAddMemsetNode, const struct cudaMemsetParams*, pMemsetParams) {
  CUDA_MEMSET_NODE_PARAMS driver;
  if (const cudaError_t error = FromFill(pMemsetParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphAddMemsetNode)(pGraphNode, graph, pDependencies,
                                                     numDependencies, &driver, Current()));
}

ADD_NODE(cudaGraphAddHostNode, const struct cudaHostNodeParams*, pNodeParams) {
  if (pNodeParams == nullptr) return cudaErrorInvalidValue;
  const CUDA_HOST_NODE_PARAMS driver = FromHost(*pNodeParams);
  return AsError(SIMGPU_DRIVER(cuGraphAddHostNode)(pGraphNode, graph, pDependencies,
                                                   numDependencies, &driver));
}

ADD_NODE(cudaGraphAddChildGraphNode, cudaGraph_t, childGraph) {
  return AsError(SIMGPU_DRIVER(cuGraphAddChildGraphNode)(pGraphNode, graph, pDependencies,
                                                         numDependencies, childGraph));
}

ADD_NODE(cudaGraphAddEventRecordNode, cudaEvent_t, event) {
  return AsError(SIMGPU_DRIVER(cuGraphAddEventRecordNode)(pGraphNode, graph, pDependencies,
                                                          numDependencies, event));
}

ADD_NODE(cudaGraphAddEventWaitNode, cudaEvent_t, event) {
  return AsError(SIMGPU_DRIVER(cuGraphAddEventWaitNode)(pGraphNode, graph, pDependencies,
                                                        numDependencies, event));
}

ADD_NODE(cudaGraphAddMemAllocNode, struct cudaMemAllocNodeParams*, nodeParams) {
  static_assert(sizeof(cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
                "one layout under two names");
  return AsError(SIMGPU_DRIVER(cuGraphAddMemAllocNode)(
      pGraphNode, graph, pDependencies, numDependencies,
      reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(nodeParams)));
}

ADD_NODE(cudaGraphAddMemFreeNode, void*, dptr) {
  return AsError(SIMGPU_DRIVER(cuGraphAddMemFreeNode)(pGraphNode, graph, pDependencies,
                                                      numDependencies, AsDevice(dptr)));
}

SIMGPU_RUNTIME(kDriver, cudaGraphMemAllocNodeGetParams,
               (cudaGraphNode_t node, struct cudaMemAllocNodeParams* params_out), node,
               params_out) {
  return AsError(SIMGPU_DRIVER(cuGraphMemAllocNodeGetParams)(
      node, reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(params_out)));
}

SIMGPU_RUNTIME(kDriver, cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void* dptr_out), node,
               dptr_out) {
  return AsError(
      SIMGPU_DRIVER(cuGraphMemFreeNodeGetParams)(node, static_cast<CUdeviceptr*>(dptr_out)));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetGraphMemAttribute,
               (int device, enum cudaGraphMemAttributeType attr, void* value), device, attr,
               value) {
  return AsError(SIMGPU_DRIVER(cuDeviceGetGraphMemAttribute)(
      device, static_cast<CUgraphMem_attribute>(attr), value));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceSetGraphMemAttribute,
               (int device, enum cudaGraphMemAttributeType attr, void* value), device, attr,
               value) {
  return AsError(SIMGPU_DRIVER(cuDeviceSetGraphMemAttribute)(
      device, static_cast<CUgraphMem_attribute>(attr), value));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGraphMemTrim, (int device), device) {
  return AsError(SIMGPU_DRIVER(cuDeviceGraphMemTrim)(device));
}

SIMGPU_RUNTIME(kDriver, cudaGraphAddEmptyNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies),
               pGraphNode, graph, pDependencies, numDependencies) {
  return AsError(
      SIMGPU_DRIVER(cuGraphAddEmptyNode)(pGraphNode, graph, pDependencies, numDependencies));
}

SIMGPU_RUNTIME(kContext, cudaGraphAddMemcpyNode1D,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                const void* src, size_t count, enum cudaMemcpyKind kind),
               pGraphNode, graph, pDependencies, numDependencies, dst, src, count, kind) {
  const CUDA_MEMCPY3D line = simgpu::runtime::LineOf(dst, src, count, kind);
  return AsError(SIMGPU_DRIVER(cuGraphAddMemcpyNode)(pGraphNode, graph, pDependencies,
                                                     numDependencies, &line, Current()));
}

SIMGPU_RUNTIME(kDriver, cudaGraphChildGraphNodeGetGraph,
               (cudaGraphNode_t node, cudaGraph_t* pGraph), node, pGraph) {
  return AsError(SIMGPU_DRIVER(cuGraphChildGraphNodeGetGraph)(node, pGraph));
}

SIMGPU_RUNTIME(kContext, cudaGraphKernelNodeSetParams,
               (cudaGraphNode_t node, const struct cudaKernelNodeParams* pNodeParams), node,
               pNodeParams) {
  CUDA_KERNEL_NODE_PARAMS driver;
  if (const cudaError_t error = FromKernel(pNodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphKernelNodeSetParams)(node, &driver));
}

SIMGPU_RUNTIME(kContext, cudaGraphMemcpyNodeSetParams1D,
               (cudaGraphNode_t node, void* dst, const void* src, size_t count,
                enum cudaMemcpyKind kind),
               node, dst, src, count, kind) {
  const CUDA_MEMCPY3D line = simgpu::runtime::LineOf(dst, src, count, kind);
  return AsError(SIMGPU_DRIVER(cuGraphMemcpyNodeSetParams)(node, &line));
}

SIMGPU_RUNTIME(kContext, cudaGraphMemsetNodeSetParams,
               (cudaGraphNode_t node, const struct cudaMemsetParams* pNodeParams), node,
               pNodeParams) {
  CUDA_MEMSET_NODE_PARAMS driver;
  if (const cudaError_t error = FromFill(pNodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphMemsetNodeSetParams)(node, &driver));
}

// ---- executable graphs
// -------------------------------------------------------------------------------------------------

SIMGPU_RUNTIME(kContext, cudaGraphInstantiate,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
               pGraphExec, graph, flags) {
  return AsError(SIMGPU_DRIVER(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags));
}

SIMGPU_RUNTIME(kContext, cudaGraphInstantiateWithFlags,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
               pGraphExec, graph, flags) {
  return AsError(SIMGPU_DRIVER(cuGraphInstantiateWithFlags)(pGraphExec, graph, flags));
}

SIMGPU_RUNTIME(kDriver, cudaGraphExecDestroy, (cudaGraphExec_t graphExec), graphExec) {
  return AsError(SIMGPU_DRIVER(cuGraphExecDestroy)(graphExec));
}

SIMGPU_RUNTIME(kDriver, cudaGraphExecGetFlags,
               (cudaGraphExec_t graphExec, unsigned long long* flags), graphExec, flags) {
  cuuint64_t wide = 0;
  const CUresult result = SIMGPU_DRIVER(cuGraphExecGetFlags)(graphExec, &wide);
  if (flags != nullptr) *flags = wide;
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaGraphExecUpdate,
               (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                cudaGraphExecUpdateResultInfo* resultInfo),
               hGraphExec, hGraph, resultInfo) {
  static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo));
  return AsError(SIMGPU_DRIVER(cuGraphExecUpdate)(
      hGraphExec, hGraph, reinterpret_cast<CUgraphExecUpdateResultInfo*>(resultInfo)));
}

SIMGPU_RUNTIME(kContext, cudaGraphExecKernelNodeSetParams,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                const struct cudaKernelNodeParams* pNodeParams),
               hGraphExec, node, pNodeParams) {
  CUDA_KERNEL_NODE_PARAMS driver;
  if (const cudaError_t error = FromKernel(pNodeParams, &driver)) return error;
  return AsError(SIMGPU_DRIVER(cuGraphExecKernelNodeSetParams)(hGraphExec, node, &driver));
}

SIMGPU_RUNTIME(kContext, cudaGraphExecMemcpyNodeSetParams1D,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst, const void* src,
                size_t count, enum cudaMemcpyKind kind),
               hGraphExec, node, dst, src, count, kind) {
  const CUDA_MEMCPY3D line = simgpu::runtime::LineOf(dst, src, count, kind);
  return AsError(SIMGPU_DRIVER(cuGraphExecMemcpyNodeSetParams)(hGraphExec, node, &line, Current()));
}

SIMGPU_RUNTIME(kContext, cudaGraphExecMemsetNodeSetParams,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                const struct cudaMemsetParams* pNodeParams),
               hGraphExec, node, pNodeParams) {
  CUDA_MEMSET_NODE_PARAMS driver;
  if (const cudaError_t error = FromFill(pNodeParams, &driver)) return error;
  return AsError(
      SIMGPU_DRIVER(cuGraphExecMemsetNodeSetParams)(hGraphExec, node, &driver, Current()));
}

SIMGPU_RUNTIME(kContext, cudaGraphExecHostNodeSetParams,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                const struct cudaHostNodeParams* pNodeParams),
               hGraphExec, node, pNodeParams) {
  if (pNodeParams == nullptr) return cudaErrorInvalidValue;
  const CUDA_HOST_NODE_PARAMS driver = FromHost(*pNodeParams);
  return AsError(SIMGPU_DRIVER(cuGraphExecHostNodeSetParams)(hGraphExec, node, &driver));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeSetEnabled,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled),
               hGraphExec, hNode, isEnabled) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeSetEnabled)(hGraphExec, hNode, isEnabled));
}

SIMGPU_RUNTIME(kDriver, cudaGraphNodeGetEnabled,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int* isEnabled),
               hGraphExec, hNode, isEnabled) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeGetEnabled)(hGraphExec, hNode, isEnabled));
}

SIMGPU_RUNTIME(kDriver, cudaUserObjectCreate,
               (cudaUserObject_t * object_out, void* ptr, cudaHostFn_t destroy,
                unsigned int initialRefcount, unsigned int flags),
               object_out, ptr, destroy, initialRefcount, flags) {
  return AsError(
      SIMGPU_DRIVER(cuUserObjectCreate)(object_out, ptr, destroy, initialRefcount, flags));
}

SIMGPU_RUNTIME(kDriver, cudaUserObjectRelease, (cudaUserObject_t object, unsigned int count),
               object, count) {
  return AsError(SIMGPU_DRIVER(cuUserObjectRelease)(object, count));
}

SIMGPU_RUNTIME(kDriver, cudaGraphRetainUserObject,
               (cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags),
               graph, object, count, flags) {
  return AsError(SIMGPU_DRIVER(cuGraphRetainUserObject)(graph, object, count, flags));
}
