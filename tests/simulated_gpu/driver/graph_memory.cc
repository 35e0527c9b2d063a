// SPDX-License-Identifier: Apache-2.0
// The driver API: memory of graphs, its nodes and what a device has of it.
#include "tests/simulated_gpu/engine/graph_memory.h"

#include <algorithm>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/graph_nodes.h"

using simgpu::AsGraph;
using simgpu::AsResult;
using simgpu::Device;
using simgpu::DeviceAt;
using simgpu::Node;
using simgpu::NodeOf;
using simgpu::NodesOf;
using simgpu::NodeType;

namespace {

// `add` makes the node, given the graph and what it comes after.
template <class Add>
CUresult AddOfMemory(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                     Add add) {
  simgpu::Graph* graph = AsGraph(handle);
  if (graph == nullptr || out == nullptr || (count > 0 && after == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const std::vector<Node*> nodes = NodesOf(after, count);
  if (std::count(nodes.begin(), nodes.end(), nullptr) != 0) return CUDA_ERROR_INVALID_VALUE;
  Node* node = nullptr;
  const int error = add(graph, nodes, &node);
  if (error == CUDA_SUCCESS) *out = reinterpret_cast<CUgraphNode>(node);
  return AsResult(error);
}

}  // namespace

CUresult simgpu::AddAllocation(CUgraphNode* out, CUgraph handle, const CUgraphNode* after,
                               size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUmemLocation& location = params->poolProps.location;
  Device* device = DeviceAt(location.id);
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE || device == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  return AddOfMemory(
      out, handle, after, count, [&](Graph* graph, const std::vector<Node*>& nodes, Node** node) {
        const int error = AddAllocationNode(graph, device, nodes, params->bytesize, node);
        if (error == CUDA_SUCCESS) params->dptr = (*node)->address;
        return error;
      });
}

CUresult simgpu::AddFree(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                         CUdeviceptr address) {
  return AddOfMemory(out, handle, after, count,
                     [&](Graph* graph, const std::vector<Node*>& nodes, Node** node) {
                       return AddFreeNode(graph, nodes, address, node);
                     });
}

SIMGPU_CALL(kContext, cuGraphAddMemAllocNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams),
            phGraphNode, hGraph, dependencies, numDependencies, nodeParams) {
  return simgpu::AddAllocation(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}

SIMGPU_CALL(kDriver, cuGraphAddMemFreeNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUdeviceptr dptr),
            phGraphNode, hGraph, dependencies, numDependencies, dptr) {
  return simgpu::AddFree(phGraphNode, hGraph, dependencies, numDependencies, dptr);
}

SIMGPU_CALL(kDriver, cuGraphMemAllocNodeGetParams,
            (CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out), hNode, params_out) {
  const Node* node = NodeOf(hNode, NodeType::kMemAlloc);
  if (node == nullptr || params_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *params_out = CUDA_MEM_ALLOC_NODE_PARAMS{};
  params_out->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params_out->poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  params_out->poolProps.location.id = static_cast<int>(node->device->ordinal);
  params_out->bytesize = node->bytes;
  params_out->dptr = node->address;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphMemFreeNodeGetParams, (CUgraphNode hNode, CUdeviceptr* dptr_out), hNode,
            dptr_out) {
  const Node* node = NodeOf(hNode, NodeType::kMemFree);
  if (node == nullptr || dptr_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *dptr_out = node->address;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetGraphMemAttribute,
            (CUdevice device, CUgraphMem_attribute attr, void* value), device, attr, value) {
  Device* known = DeviceAt(device);
  if (known == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (value == nullptr || attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    return CUDA_ERROR_INVALID_VALUE;
  *static_cast<cuuint64_t*>(value) = simgpu::GraphMemoryAttribute(known, attr);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceSetGraphMemAttribute,
            (CUdevice device, CUgraphMem_attribute attr, void* value), device, attr, value) {
  Device* known = DeviceAt(device);
  if (known == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const bool high =
      attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
  if (!high || value == nullptr || *static_cast<cuuint64_t*>(value) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  simgpu::ResetGraphMemoryHigh(known);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGraphMemTrim, (CUdevice device), device) {
  Device* known = DeviceAt(device);
  if (known == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  simgpu::TrimGraphMemory(known);
  return CUDA_SUCCESS;
}
