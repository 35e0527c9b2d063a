// SPDX-License-Identifier: Apache-2.0
// Turns the driver API's descriptions of graph nodes into commands.
#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/copy_shapes.h"
#include "tests/simulated_gpu/driver/graph_nodes.h"

namespace simgpu {

CUresult AddGraphNode(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                      NodeType type, const Command& command, Node** made) {
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

CUresult AddChild(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                  CUgraph child_handle) {
  const Graph* child = AsGraph(child_handle);
  if (child == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Node* node = nullptr;
  const CUresult result =
      AddGraphNode(out, handle, after, count, NodeType::kGraph, Nothing(), &node);
  if (node != nullptr) node->child = CloneGraph(child);
  return result;
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
  return AsResult(CheckLaunch(*command));
}

CUresult FromCopy(const CUDA_MEMCPY3D& params, Command* command) {
  CopyRequest request;
  const CUresult result = ShapeOf(params, &request);
  if (result == CUDA_SUCCESS) *command = CopyCommand(request, true);
  return result;
}

CUresult FromFill(const CUDA_MEMSET_NODE_PARAMS& params, Command* command) {
  if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  FillRequest request;
  request.target = AsPointer(params.dst);
  request.value = params.value;
  request.element = params.elementSize;
  request.width = params.width;
  request.height = params.height;
  request.pitch = params.pitch;
  *command = FillCommand(request, true);
  return command->target_kind == MemoryKind::kPageable ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

Command EventCommand(OperationKind kind, CUevent handle) {
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

ExecNode* ExecNodeOf(CUgraphExec exec_handle, CUgraphNode handle, NodeType type) {
  GraphExec* exec = AsGraphExec(exec_handle);
  const Node* node = NodeOf(handle, type);
  return exec == nullptr || node == nullptr ? nullptr : FindExecNode(exec, node);
}

}  // namespace simgpu
