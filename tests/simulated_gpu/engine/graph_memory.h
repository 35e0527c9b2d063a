// SPDX-License-Identifier: Apache-2.0
// Memory of graphs: addresses belong to allocation nodes from the moment these are made; memory of
// the device is taken by the launches that need it, and given back by a trim.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/simulated_gpu/engine/graph.h"

namespace simgpu {

// An allocation node; its address is in (*out)->address. It is that of an allocation of the same
// graph where that is freed before this node.
int AddAllocationNode(Graph* graph, Device* device, const std::vector<Node*>& after, uint64_t bytes,
                      Node** out);
// Only memory of allocation nodes can be freed by a node.
int AddFreeNode(Graph* graph, const std::vector<Node*>& after, uint64_t address, Node** out);

bool HasMemoryNodes(const std::vector<ExecNode>& nodes);
// Before and after the nodes of a launch that has some are placed; under the engine lock. Refused
// where an allocation of an earlier launch was not freed, and where the device has no memory left.
int TakeGraphMemory(const GraphExec& exec, Stream* stream);
void LeaveGraphMemory(const GraphExec& exec, Stream* stream, const Point& end);
// For the truth file; without the lock.
void TellGraphMemory(const GraphExec& exec, const Stream* stream);

// What a launch left allocated, freed outside of a graph: in the order of `stream`.
int FreeGraphMemory(uint64_t address, Stream* stream);

// As CUgraphMem_attribute numbers them.
uint64_t GraphMemoryAttribute(Device* device, int attribute);
void ResetGraphMemoryHigh(Device* device);
// Gives back what no launch uses any more.
void TrimGraphMemory(Device* device);

}  // namespace simgpu
