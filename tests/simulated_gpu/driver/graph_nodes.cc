// SPDX-License-Identifier: Apache-2.0
// The driver API: nodes of graphs and their parameters.
#include "tests/simulated_gpu/driver/graph_nodes.h"

#include "tests/simulated_gpu/driver/api.h"

using simgpu::AddGraphNode;
using simgpu::AsGraph;
using simgpu::AsResult;
using simgpu::Command;
using simgpu::EventCommand;
using simgpu::ExecNodeOf;
using simgpu::FromCopy;
using simgpu::FromFill;
using simgpu::FromKernel;
using simgpu::Graph;
using simgpu::Node;
using simgpu::NodeOf;
using simgpu::NodeType;
using simgpu::Nothing;

SIMGPU_CALL(kDriver, cuGraphAddKernelNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams),
            phGraphNode, hGraph, dependencies, numDependencies, nodeParams) {
  Command command;
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = FromKernel(*nodeParams, &command)) return error;
  Node* node = nullptr;
  const CUresult result = AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies,
                                       NodeType::kKernel, command, &node);
  if (node != nullptr) node->kernel_parameters = nodeParams->kernelParams;
  return result;
}

SIMGPU_CALL(kDriver, cuGraphAddMemcpyNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext ctx),
            phGraphNode, hGraph, dependencies, numDependencies, copyParams, ctx) {
  (void)ctx;
  Command command;
  if (copyParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = FromCopy(*copyParams, &command)) return error;
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kMemcpy,
                      command);
}

SIMGPU_CALL(kDriver, cuGraphAddMemsetNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx),
            phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx) {
  (void)ctx;
  Command command;
  if (memsetParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = FromFill(*memsetParams, &command)) return error;
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kMemset,
                      command);
}

SIMGPU_CALL(kDriver, cuGraphAddHostNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams),
            phGraphNode, hGraph, dependencies, numDependencies, nodeParams) {
  if (nodeParams == nullptr || nodeParams->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kHost,
                      simgpu::HostCommand(nodeParams->fn, nodeParams->userData));
}

SIMGPU_CALL(kDriver, cuGraphAddEmptyNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies),
            phGraphNode, hGraph, dependencies, numDependencies) {
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kEmpty,
                      Nothing());
}

SIMGPU_CALL(kDriver, cuGraphAddChildGraphNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUgraph childGraph),
            phGraphNode, hGraph, dependencies, numDependencies, childGraph) {
  return simgpu::AddChild(phGraphNode, hGraph, dependencies, numDependencies, childGraph);
}

SIMGPU_CALL(kDriver, cuGraphChildGraphNodeGetGraph, (CUgraphNode hNode, CUgraph* phGraph), hNode,
            phGraph) {
  const Node* node = NodeOf(hNode, NodeType::kGraph);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *phGraph = reinterpret_cast<CUgraph>(node->child);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphAddEventRecordNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUevent event),
            phGraphNode, hGraph, dependencies, numDependencies, event) {
  const Command command = EventCommand(simgpu::OperationKind::kEventRecord, event);
  if (command.event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kEventRecord,
                      command);
}

SIMGPU_CALL(kDriver, cuGraphAddEventWaitNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUevent event),
            phGraphNode, hGraph, dependencies, numDependencies, event) {
  const Command command = EventCommand(simgpu::OperationKind::kStreamWait, event);
  if (command.event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return AddGraphNode(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kWaitEvent,
                      command);
}

// ---- parameters of nodes that are there
// --------------------------------------------------------------------------------

SIMGPU_CALL(kDriver, cuGraphKernelNodeGetParams,
            (CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams), hNode, nodeParams) {
  const Node* node = NodeOf(hNode, NodeType::kKernel);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Command& command = node->command;
  *nodeParams = CUDA_KERNEL_NODE_PARAMS{};
  nodeParams->func = reinterpret_cast<CUfunction>(command.function);
  nodeParams->gridDimX = command.grid[0];
  nodeParams->gridDimY = command.grid[1];
  nodeParams->gridDimZ = command.grid[2];
  nodeParams->blockDimX = command.block[0];
  nodeParams->blockDimY = command.block[1];
  nodeParams->blockDimZ = command.block[2];
  nodeParams->sharedMemBytes = command.shared;
  nodeParams->kernelParams = node->kernel_parameters;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphKernelNodeSetParams,
            (CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams), hNode, nodeParams) {
  Node* node = NodeOf(hNode, NodeType::kKernel);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->kernel_parameters = nodeParams->kernelParams;
  return FromKernel(*nodeParams, &node->command);
}

SIMGPU_CALL(kDriver, cuGraphMemcpyNodeSetParams,
            (CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams), hNode, nodeParams) {
  Node* node = NodeOf(hNode, NodeType::kMemcpy);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return FromCopy(*nodeParams, &node->command);
}

SIMGPU_CALL(kDriver, cuGraphMemsetNodeSetParams,
            (CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams), hNode, nodeParams) {
  Node* node = NodeOf(hNode, NodeType::kMemset);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return FromFill(*nodeParams, &node->command);
}

SIMGPU_CALL(kDriver, cuGraphHostNodeGetParams,
            (CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams), hNode, nodeParams) {
  const Node* node = NodeOf(hNode, NodeType::kHost);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *nodeParams = CUDA_HOST_NODE_PARAMS{};
  nodeParams->fn = node->command.host_function;
  nodeParams->userData = node->command.host_argument;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuGraphExecKernelNodeSetParams,
            (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams),
            hGraphExec, hNode, nodeParams) {
  simgpu::ExecNode* node = ExecNodeOf(hGraphExec, hNode, NodeType::kKernel);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return FromKernel(*nodeParams, &node->command);
}

SIMGPU_CALL(kContext, cuGraphExecMemcpyNodeSetParams,
            (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
             CUcontext ctx),
            hGraphExec, hNode, copyParams, ctx) {
  (void)ctx;
  simgpu::ExecNode* node = ExecNodeOf(hGraphExec, hNode, NodeType::kMemcpy);
  if (node == nullptr || copyParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return FromCopy(*copyParams, &node->command);
}

SIMGPU_CALL(kContext, cuGraphExecMemsetNodeSetParams,
            (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* memsetParams,
             CUcontext ctx),
            hGraphExec, hNode, memsetParams, ctx) {
  (void)ctx;
  simgpu::ExecNode* node = ExecNodeOf(hGraphExec, hNode, NodeType::kMemset);
  if (node == nullptr || memsetParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return FromFill(*memsetParams, &node->command);
}

SIMGPU_CALL(kContext, cuGraphExecHostNodeSetParams,
            (CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams),
            hGraphExec, hNode, nodeParams) {
  simgpu::ExecNode* node = ExecNodeOf(hGraphExec, hNode, NodeType::kHost);
  if (node == nullptr || nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->command = simgpu::HostCommand(nodeParams->fn, nodeParams->userData);
  return CUDA_SUCCESS;
}
