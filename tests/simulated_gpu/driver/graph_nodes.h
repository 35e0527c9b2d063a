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

}  // namespace simgpu
