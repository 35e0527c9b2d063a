// SPDX-License-Identifier: Apache-2.0
// What the files of the driver API's graphs share.
#pragma once

#include <cuda.h>

#include <vector>

#include "tests/simulated_gpu/engine/graph.h"

namespace simgpu {

// Null entries where a handle is not a node.
inline std::vector<Node*> NodesOf(const CUgraphNode* nodes, size_t count) {
  std::vector<Node*> all;
  for (size_t i = 0; i < count; ++i) all.push_back(AsNode(nodes[i]));
  return all;
}

// Adds the node; `after` is as the API gives it.
CUresult AddGraphNode(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                      NodeType type, const Command& command, Node** made = nullptr);
CUresult AddAllocation(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                       CUDA_MEM_ALLOC_NODE_PARAMS* params);
CUresult AddFree(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                 CUdeviceptr address);
CUresult AddChild(CUgraphNode* out, CUgraph handle, const CUgraphNode* after, size_t count,
                  CUgraph child);

// Descriptions as commands.
CUresult FromKernel(const CUDA_KERNEL_NODE_PARAMS& params, Command* command);
CUresult FromCopy(const CUDA_MEMCPY3D& params, Command* command);
CUresult FromFill(const CUDA_MEMSET_NODE_PARAMS& params, Command* command);
Command EventCommand(OperationKind kind, CUevent handle);  // its event is null for a bad handle
Command Nothing();

// Null unless it is a node of that type; and what an executable graph made of it.
Node* NodeOf(CUgraphNode handle, NodeType type);
ExecNode* ExecNodeOf(CUgraphExec exec, CUgraphNode handle, NodeType type);

}  // namespace simgpu
