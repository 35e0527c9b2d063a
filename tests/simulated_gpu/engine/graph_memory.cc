// SPDX-License-Identifier: Apache-2.0
// Memory of graphs: the addresses of their allocation nodes, and the blocks of device memory that
// launches use one after another.
#include "tests/simulated_gpu/engine/graph_memory.h"

#include <cuda.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/memory_table.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {
namespace {

// Device memory behind the allocations of one launch, or behind one that outlives its launch.
struct Block {
  uint64_t bytes = 0;
  uint64_t owner = 0;  // the address of the allocation that outlives its launch; 0: nobody
  const Stream* stream = nullptr;
  Point free_from;
};

constexpr uint64_t kThisLaunch = 1;  // an owner, between TakeGraphMemory and LeaveGraphMemory

struct OfDevice {
  std::vector<Block> blocks;
  uint64_t reserved = 0, reserved_high = 0;
};

// The functions of this file down to the next comment of this kind need the engine lock.
OfDevice& Of(const Device* device) {
  static auto& by_device = *new std::map<const Device*, OfDevice>;
  return by_device[device];
}

// Allocations that outlive their launch and were not freed.
std::set<uint64_t>& Living() {
  static auto& living = *new std::set<uint64_t>;
  return living;
}

int TakeBlock(Device* device, const Stream* stream, uint64_t bytes, uint64_t owner) {
  OfDevice& memory = Of(device);
  const uint64_t now = Now();
  for (Block& block : memory.blocks) {
    const bool idle = block.stream == stream || IsOver(&block.free_from, now);
    if (block.owner != 0 || block.bytes < bytes || !idle) continue;
    block.owner = owner;
    block.stream = stream;
    return CUDA_SUCCESS;
  }
  if (!ReserveNow(device, bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  memory.blocks.push_back(Block{bytes, owner, stream, Point{}});
  memory.reserved += bytes;
  memory.reserved_high = std::max(memory.reserved_high, memory.reserved);
  return CUDA_SUCCESS;
}

// What `owner` has is free once `end` has come, and at once for its stream.
void Free(uint64_t owner, const Stream* stream, const Point& end) {
  Living().erase(owner);
  for (const Device* device : Devices()) {
    for (Block& block : Of(device).blocks) {
      if (block.owner == owner) block = Block{block.bytes, 0, stream, end};
    }
  }
}

bool IsOfMemory(const Node& node) {
  return node.type == NodeType::kMemAlloc || node.type == NodeType::kMemFree;
}

// What a launch does to memory.
struct Plan {
  std::vector<const Node*> outliving;
  std::vector<uint64_t> freed_of_others;
  uint64_t most_bytes = 0;  // at one time, of those it frees itself
  Device* device = nullptr;
};

Plan PlanOf(const GraphExec& exec) {
  std::vector<const Node*> nodes;
  for (const ExecNode& node : exec.nodes) {
    if (IsOfMemory(*node.node)) nodes.push_back(node.node);
  }
  Plan plan;
  uint64_t bytes = 0;
  std::map<uint64_t, uint64_t> held;  // bytes by address
  for (auto node = nodes.begin(); node != nodes.end(); ++node) {
    const uint64_t address = (*node)->address;
    if ((*node)->type == NodeType::kMemAlloc) {
      plan.device = (*node)->device;
      const bool is_freed = std::any_of(std::next(node), nodes.end(), [&](const Node* later) {
        return later->type == NodeType::kMemFree && later->address == address;
      });
      if (is_freed) {
        held[address] = (*node)->bytes;
        plan.most_bytes = std::max(plan.most_bytes, bytes += (*node)->bytes);
      } else {
        plan.outliving.push_back(*node);
      }
    } else if (held.count(address) != 0) {
      bytes -= held[address];
      held.erase(address);
    } else {
      plan.freed_of_others.push_back(address);
    }
  }
  return plan;
}

int TakeBlocks(const Plan& plan, Stream* stream) {
  if (plan.most_bytes != 0) {
    if (const int error = TakeBlock(plan.device, stream, plan.most_bytes, kThisLaunch))
      return error;
  }
  for (const Node* node : plan.outliving) {
    if (const int error = TakeBlock(node->device, stream, node->bytes, node->address)) return error;
    Living().insert(node->address);
  }
  return CUDA_SUCCESS;
}

void Tell(MemoryAction action, uint64_t address, const Stream* stream) {
  if (const auto memory = Table().FindBase(reinterpret_cast<void*>(address)))
    TellMemory(action, *memory, stream);
}

// The functions from here on take the lock themselves where they need it, unless the header says
// otherwise.

// An allocation of the graph that is large enough and freed before all of `after` is reached.
const Node* FreedBefore(const Graph* graph, const std::vector<Node*>& after, uint64_t bytes) {
  EngineLock lock(EngineMutex());
  std::set<const Node*> before(after.begin(), after.end());
  std::vector<const Node*> open(after.begin(), after.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Node* earlier : node->after) {
      if (before.insert(earlier).second) open.push_back(earlier);
    }
  }
  std::map<uint64_t, int> users;  // allocations less frees: what is not 0 is in use
  const Node* found = nullptr;
  for (const Node* node : graph->nodes) {
    if (node->type == NodeType::kMemAlloc) ++users[node->address];
    if (node->type == NodeType::kMemFree && before.count(node) != 0) --users[node->address];
  }
  for (const Node* node : graph->nodes) {
    const bool fits = node->type == NodeType::kMemAlloc && node->bytes >= bytes;
    if (fits && users[node->address] == 0) found = node;
  }
  return found;
}

}  // namespace

int AddAllocationNode(Graph* graph, Device* device, const std::vector<Node*>& after, uint64_t bytes,
                      Node** out) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > (1ull << 46)) return CUDA_ERROR_OUT_OF_MEMORY;
  const uint64_t rounded = RoundToPage(bytes);
  const Node* reused = FreedBefore(graph, after, rounded);
  uint64_t address = reused == nullptr ? 0 : reused->address;
  if (address == 0) {
    void* mapped = Map(rounded);
    if (mapped == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    Allocation memory;
    memory.base = address = reinterpret_cast<uintptr_t>(mapped);
    memory.bytes = rounded;
    memory.kind = MemoryKind::kDevice;
    memory.origin = MemoryOrigin::kGraph;
    memory.context = PrimaryContext(device);
    Table().Insert(&memory);
  }
  Command nothing;
  nothing.nothing = true;
  Node* node = AddNode(graph, NodeType::kMemAlloc, nothing, after);
  node->address = address;
  node->bytes = rounded;
  node->device = device;
  *out = node;
  return CUDA_SUCCESS;
}

int AddFreeNode(Graph* graph, const std::vector<Node*>& after, uint64_t address, Node** out) {
  const auto memory = Table().FindBase(reinterpret_cast<void*>(address));
  if (!memory || memory->origin != MemoryOrigin::kGraph) return CUDA_ERROR_INVALID_VALUE;
  Command nothing;
  nothing.nothing = true;
  Node* node = AddNode(graph, NodeType::kMemFree, nothing, after);
  node->address = address;
  *out = node;
  return CUDA_SUCCESS;
}

bool HasMemoryNodes(const std::vector<ExecNode>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const ExecNode& node) { return IsOfMemory(*node.node); });
}

int TakeGraphMemory(const GraphExec& exec, Stream* stream) {
  const Plan plan = PlanOf(exec);
  const bool frees_itself = (exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  for (const uint64_t address : plan.freed_of_others) {
    if (Living().count(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  }
  for (const Node* node : plan.outliving) {
    if (Living().count(node->address) == 0) continue;
    if (!frees_itself) return CUDA_ERROR_INVALID_VALUE;
    Free(node->address, stream, stream->tail);
  }
  const int error = TakeBlocks(plan, stream);
  if (error == CUDA_SUCCESS) return error;
  Free(kThisLaunch, stream, stream->tail);
  for (const Node* node : plan.outliving) Free(node->address, stream, stream->tail);
  return error;
}

void LeaveGraphMemory(const GraphExec& exec, Stream* stream, const Point& end) {
  for (const uint64_t address : PlanOf(exec).freed_of_others) Free(address, stream, end);
  Free(kThisLaunch, stream, end);
}

void TellGraphMemory(const GraphExec& exec, const Stream* stream) {
  for (const ExecNode& node : exec.nodes) {
    if (!IsOfMemory(*node.node)) continue;
    const bool is_free = node.node->type == NodeType::kMemFree;
    Tell(is_free ? MemoryAction::kRelease : MemoryAction::kAllocate, node.node->address, stream);
  }
}

int FreeGraphMemory(uint64_t address, Stream* stream) {
  {
    EngineLock lock(EngineMutex());
    if (Living().count(address) == 0) return CUDA_ERROR_INVALID_VALUE;
    const Dependencies order = StreamOrder(stream);
    Free(address, stream,
         order.known() ? Point{order.ns(), 0, nullptr} : Point{0, 0, order.pending().back()});
  }
  Tell(MemoryAction::kRelease, address, stream);
  return CUDA_SUCCESS;
}

uint64_t GraphMemoryAttribute(Device* device, int attribute) {
  EngineLock lock(EngineMutex());
  const OfDevice& memory = Of(device);
  const bool high = attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
                    attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
  return high ? memory.reserved_high : memory.reserved;
}

void ResetGraphMemoryHigh(Device* device) {
  EngineLock lock(EngineMutex());
  Of(device).reserved_high = Of(device).reserved;
}

void TrimGraphMemory(Device* device) {
  EngineLock lock(EngineMutex());
  OfDevice& memory = Of(device);
  const uint64_t now = Now();
  std::vector<Block> kept;
  for (Block& block : memory.blocks) {
    if (block.owner != 0 || !IsOver(&block.free_from, now)) {
      kept.push_back(block);
      continue;
    }
    memory.reserved -= block.bytes;
    device->used_bytes -= block.bytes;
  }
  memory.blocks = kept;
}

}  // namespace simgpu
