// SPDX-License-Identifier: Apache-2.0
// The driver API: nodes of graphs and their parameters.
#include "tests/simulated_gpu/driver/graph_nodes.h"

#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/copy_shapes.h"

using simgpu::AsEvent;
using simgpu::AsGraph;
using simgpu::AsGraphExec;
using simgpu::AsNode;
using simgpu::AsResult;
using simgpu::Command;
using simgpu::Function;
using simgpu::Graph;
using simgpu::Node;
using simgpu::NodesOf;
using simgpu::NodeType;

namespace {

// Adds the node; `after` is as the API gives it.
CUresult Add(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
             NodeType type, const Command& command, Node** made = nullptr) {
  Graph* graph = AsGraph(handle);
  if (graph == nullptr || out == nullptr || (count > 0 && after == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const std::vector<Node*> nodes = NodesOf(after, count);
  if (std::find(nodes.begin(), nodes.end(), nullptr) != nodes.end())
    return CUDA_ERROR_INVALID_VALUE;
  Node* node = simgpu::AddNode(graph, type, command, nodes);
  *out = reinterpret_cast<CUgraphNode>(node);
  if (made != nullptr) *made = node;
  return CUDA_SUCCESS;
}

CUresult FromKernel(const CUDA_KERNEL_NODE_PARAMS& params, Command* command) {
  const void* function =
      params.func != nullptr ? static_cast<const void*>(params.func) : params.kern;
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  command->function = static_cast<Function*>(const_cast<void*>(function));
  const uint32_t grid[] = {params.gridDimX, params.gridDimY, params.gridDimZ};
  const uint32_t block[] = {params.blockDimX, params.blockDimY, params.blockDimZ};
  std::memcpy(command->grid, grid, sizeof grid);
  std::memcpy(command->block, block, sizeof block);
  command->shared = params.sharedMemBytes;
  return AsResult(simgpu::CheckLaunch(*command));
}

CUresult FromCopy(const CUDA_MEMCPY3D& params, Command* command) {
  simgpu::CopyRequest request;
  const CUresult result = simgpu::ShapeOf(params, &request);
  if (result == CUDA_SUCCESS) *command = simgpu::CopyCommand(request, true);
  return result;
}

CUresult FromFill(const CUDA_MEMSET_NODE_PARAMS& params, Command* command) {
  if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  simgpu::FillRequest request;
  request.target = simgpu::AsPointer(params.dst);
  request.value = params.value;
  request.element = params.elementSize;
  request.width = params.width;
  request.height = params.height;
  request.pitch = params.pitch;
  *command = simgpu::FillCommand(request, true);
  return command->target_kind == simgpu::MemoryKind::kPageable ? CUDA_ERROR_INVALID_VALUE
                                                               : CUDA_SUCCESS;
}

Command EventCommand(simgpu::OperationKind kind, CUevent handle) {
  Command command;
  command.kind = kind;
  command.event = AsEvent(handle);
  return command;
}

Command Nothing() {
  Command command;
  command.nothing = true;
  return command;
}

Node* NodeOf(CUgraphNode handle, NodeType type) {
  Node* node = AsNode(handle);
  return node != nullptr && node->type == type ? node : nullptr;
}

// The node of an executable graph that came from `handle`.
simgpu::ExecNode* ExecNodeOf(CUgraphExec exec_handle, CUgraphNode handle, NodeType type) {
  simgpu::GraphExec* exec = AsGraphExec(exec_handle);
  const Node* node = NodeOf(handle, type);
  return exec == nullptr || node == nullptr ? nullptr : simgpu::FindExecNode(exec, node);
}

}  // namespace

SIMGPU_CALL(kDriver, cuGraphAddKernelNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams),
            phGraphNode, hGraph, dependencies, numDependencies, nodeParams) {
  Command command;
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = FromKernel(*nodeParams, &command)) return error;
  Node* node = nullptr;
  const CUresult result =
      Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kKernel, command, &node);
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
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kMemcpy, command);
}

SIMGPU_CALL(kDriver, cuGraphAddMemsetNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx),
            phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx) {
  (void)ctx;
  Command command;
  if (memsetParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = FromFill(*memsetParams, &command)) return error;
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kMemset, command);
}

SIMGPU_CALL(kDriver, cuGraphAddHostNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams),
            phGraphNode, hGraph, dependencies, numDependencies, nodeParams) {
  if (nodeParams == nullptr || nodeParams->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kHost,
             simgpu::HostCommand(nodeParams->fn, nodeParams->userData));
}

SIMGPU_CALL(kDriver, cuGraphAddEmptyNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies),
            phGraphNode, hGraph, dependencies, numDependencies) {
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kEmpty, Nothing());
}

SIMGPU_CALL(kDriver, cuGraphAddChildGraphNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUgraph childGraph),
            phGraphNode, hGraph, dependencies, numDependencies, childGraph) {
  const Graph* child = AsGraph(childGraph);
  if (child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Node* node = nullptr;
  const CUresult result =
      Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kGraph, Nothing(), &node);
  if (node != nullptr) node->child = simgpu::CloneGraph(child);
  return result;
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
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kEventRecord, command);
}

SIMGPU_CALL(kDriver, cuGraphAddEventWaitNode,
            (CUgraphNode * phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
             size_t numDependencies, CUevent event),
            phGraphNode, hGraph, dependencies, numDependencies, event) {
  const Command command = EventCommand(simgpu::OperationKind::kStreamWait, event);
  if (command.event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return Add(phGraphNode, hGraph, dependencies, numDependencies, NodeType::kWaitEvent, command);
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
