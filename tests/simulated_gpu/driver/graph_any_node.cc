// SPDX-License-Identifier: Apache-2.0
// The driver API: the calls of CUDA 12 that take a node of any type.
#include <cstring>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/graph_nodes.h"
#include "tests/simulated_gpu/stubs/unsupported.h"

using simgpu::AsResult;
using simgpu::Command;
using simgpu::EventCommand;
using simgpu::Node;
using simgpu::NodeType;

namespace {

// The same under the name of an older version of it.
template <class Old, class New>
Old As(const New& params) {
  Old old{};
  static_assert(sizeof(Old) <= sizeof(New));
  std::memcpy(&old, &params, sizeof old);
  return old;
}

// Of the types that are one command each.
CUresult CommandOf(const CUgraphNodeParams& params, Command* command) {
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return simgpu::FromKernel(As<CUDA_KERNEL_NODE_PARAMS>(params.kernel), command);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return simgpu::FromCopy(params.memcpy.copyParams, command);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return simgpu::FromFill(As<CUDA_MEMSET_NODE_PARAMS>(params.memset), command);
    case CU_GRAPH_NODE_TYPE_HOST:
      *command = simgpu::HostCommand(params.host.fn, params.host.userData);
      return params.host.fn == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      *command = EventCommand(simgpu::OperationKind::kEventRecord, params.eventRecord.event);
      return command->event == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      *command = EventCommand(simgpu::OperationKind::kStreamWait, params.eventWait.event);
      return command->event == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      *command = simgpu::Nothing();
      return CUDA_SUCCESS;
    default:
      simgpu::SayUnsupported("libcuda.so.1", "this type of graph node");
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult AddAny(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count,
                CUgraphNodeParams* params) {
  switch (params->type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return simgpu::AddChild(out, graph, after, count, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      auto alloc = As<CUDA_MEM_ALLOC_NODE_PARAMS>(params->alloc);
      const CUresult result = simgpu::AddAllocation(out, graph, after, count, &alloc);
      params->alloc.dptr = alloc.dptr;
      return result;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return simgpu::AddFree(out, graph, after, count, params->free.dptr);
    default:
      break;
  }
  Command command;
  if (const CUresult error = CommandOf(*params, &command)) return error;
  Node* node = nullptr;
  const CUresult result = simgpu::AddGraphNode(out, graph, after, count,
                                               static_cast<NodeType>(params->type), command, &node);
  const bool is_kernel = params->type == CU_GRAPH_NODE_TYPE_KERNEL;
  if (node != nullptr && is_kernel) node->kernel_parameters = params->kernel.kernelParams;
  return result;
}

}  // namespace

SIMGPU_CALL(kContext, cuGraphAddNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             const CUgraphEdgeData* dependencyData, size_t numDependencies,
             CUgraphNodeParams* nodeParams),
            phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams) {
  (void)dependencyData;
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AddAny(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}

SIMGPU_CALL(kContext, cuGraphNodeSetParams, (CUgraphNode hNode, CUgraphNodeParams* nodeParams),
            hNode, nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Node* node = simgpu::NodeOf(hNode, static_cast<NodeType>(nodeParams->type));
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (node->type == NodeType::kKernel) node->kernel_parameters = nodeParams->kernel.kernelParams;
  return CommandOf(*nodeParams, &node->command);
}

SIMGPU_CALL(kContext, cuGraphExecNodeSetParams,
            (CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams), hGraphExec,
            hNode, nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::ExecNode* node =
      simgpu::ExecNodeOf(hGraphExec, hNode, static_cast<NodeType>(nodeParams->type));
  return node == nullptr ? CUDA_ERROR_INVALID_VALUE : CommandOf(*nodeParams, &node->command);
}
