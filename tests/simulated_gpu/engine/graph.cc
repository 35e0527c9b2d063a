// SPDX-License-Identifier: Apache-2.0
// Graphs, executable graphs and their launch.
#include "tests/simulated_gpu/engine/graph.h"

#include <cuda.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/graph_memory.h"
#include "tests/simulated_gpu/engine/stream_ops.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {
namespace {

uint32_t next_graph_id = 1;  // graphs and executable graphs count together; under the engine lock
uint64_t next_node_id = 1;

template <class T>
std::set<T*>& All() {  // every one there ever was; under the engine lock
  static auto& all = *new std::set<T*>;
  return all;
}

template <class T>
T* FindAlive(const void* handle) {
  EngineLock lock(EngineMutex());
  const auto found = All<T>().find(static_cast<T*>(const_cast<void*>(handle)));
  return found != All<T>().end() && (*found)->alive ? *found : nullptr;
}

void TellGraph(ResourceKind kind, void* handle, uint32_t id, uint32_t original, bool created) {
  if (!Observed(kResources)) return;
  Resource resource{};
  resource.kind = kind;
  resource.id = id;
  resource.handle = handle;
  resource.original_id = original;
  resource.context = CurrentContext();
  resource.context_id = CurrentContext() == nullptr ? 0 : CurrentContext()->id;
  TellResource(resource, created);
}

// The nodes of `graph` and of its child graphs, each behind what it depends on.
class Flattener {
 public:
  explicit Flattener(std::vector<ExecNode>* out) : out_(out) {}

  // False where there is a cycle. `entry`: what the graph as a whole comes after.
  bool Add(const Graph* graph, const std::vector<size_t>& entry, std::vector<size_t>* leaves) {
    std::map<const Node*, std::vector<size_t>> placed;  // the indices that stand for a node's end
    std::set<const Node*> has_successor;
    size_t done = 0;
    for (bool progress = true; progress;) {
      progress = false;
      for (const Node* node : graph->nodes) {
        if (placed.count(node) != 0) continue;
        const bool ready =
            std::all_of(node->after.begin(), node->after.end(),
                        [&](const Node* before) { return placed.count(before) != 0; });
        if (!ready) continue;
        std::vector<size_t> after = node->after.empty() ? entry : std::vector<size_t>{};
        for (const Node* before : node->after) {
          has_successor.insert(before);
          after.insert(after.end(), placed[before].begin(), placed[before].end());
        }
        if (!Place(node, after, &placed[node])) return false;
        ++done;
        progress = true;
      }
    }
    for (const Node* node : graph->nodes) {
      if (has_successor.count(node) == 0)
        leaves->insert(leaves->end(), placed[node].begin(), placed[node].end());
    }
    return done == graph->nodes.size();
  }

 private:
  bool Place(const Node* node, const std::vector<size_t>& after, std::vector<size_t>* ends) {
    if (node->type == NodeType::kGraph) {
      if (!Add(node->child, after, ends)) return false;
      if (ends->empty()) *ends = after;
      return true;
    }
    ends->push_back(out_->size());
    out_->push_back(ExecNode{node, node, node->command, after, true});
    return true;
  }

  std::vector<ExecNode>* out_;
};

// A node's number is of all graphs', also executable ones. Under the engine lock.
void NumberNode(Node* node) {
  node->id = next_node_id++;
  All<Node>().insert(node);
}

void TellNode(const Node& node) {
  if (!Observed(kResources)) return;
  Resource resource{};
  resource.kind = ResourceKind::kGraphNode;
  resource.id = node.graph->id;
  resource.node_id = node.id;
  resource.node_type = static_cast<uint32_t>(node.type);
  resource.handle = const_cast<Node*>(&node);
  resource.original = const_cast<Node*>(node.original);
  TellResource(resource, true);
}

Node* AddUntold(Graph* graph, NodeType type, const Command& command,
                const std::vector<Node*>& after) {
  auto* node = new Node;
  node->graph = graph;
  node->type = type;
  node->command = command;
  node->after = after;
  EngineLock lock(EngineMutex());
  NumberNode(node);
  graph->nodes.push_back(node);
  return node;
}

// An executable graph's nodes are clones, as CUPTI tells. Under the engine lock.
void CloneNodes(GraphExec* exec) {
  for (ExecNode& node : exec->nodes) {
    auto* own = new Node(*node.node);
    own->original = node.node;
    NumberNode(own);
    node.own = own;
  }
}

// One node of a launch, under the engine lock.
Submitted::Placed AddNodeWork(Submitted* submitted, const ExecNode& node, GraphExec* exec,
                              Stream* stream, Dependencies after) {
  if (node.command.kind == OperationKind::kStreamWait && node.command.event != nullptr) {
    after.Add(node.command.event->point);
  }
  Command command = node.command;
  command.nothing = command.nothing || !node.enabled;
  Work work = MakeWork(command, stream);
  work.op.graph_id = exec->graph_id;
  work.op.graph_exec_id = exec->id;
  work.op.graph_node_id = node.own->id;
  work.op.source_graph_node_id = node.node->id;
  if (command.event != nullptr) work.op.event_id = command.event->id;
  const Submitted::Placed placed = submitted->Add(std::move(work), after);
  if (command.kind == OperationKind::kEventRecord && node.enabled) {
    command.event->recorded = true;
    command.event->point = placed.end;
    command.event->stream = stream;
  }
  return placed;
}

}  // namespace

Graph* CreateGraph() {
  auto* graph = new Graph;
  {
    EngineLock lock(EngineMutex());
    graph->id = next_graph_id++;
    All<Graph>().insert(graph);
  }
  TellGraph(ResourceKind::kGraph, graph, graph->id, 0, true);
  return graph;
}

void DestroyGraph(Graph* graph) {
  TellGraph(ResourceKind::kGraph, graph, graph->id, 0, false);
  EngineLock lock(EngineMutex());
  graph->alive = false;
  for (Node* node : graph->nodes) node->alive = false;
}

Graph* CloneGraph(const Graph* graph) {
  Graph* clone = CreateGraph();
  std::map<const Node*, Node*> copies;
  for (const Node* node : graph->nodes) {
    Node* copy = AddUntold(clone, node->type, node->command, {});
    copy->child = node->child == nullptr ? nullptr : CloneGraph(node->child);
    copy->kernel_parameters = node->kernel_parameters;
    copy->address = node->address;
    copy->bytes = node->bytes;
    copy->device = node->device;
    copy->original = node;
    TellNode(*copy);
    copies[node] = copy;
  }
  for (const Node* node : graph->nodes) {
    for (const Node* before : node->after) copies[node]->after.push_back(copies[before]);
  }
  return clone;
}

Graph* AsGraph(const void* handle) { return FindAlive<Graph>(handle); }
Node* AsNode(const void* handle) { return FindAlive<Node>(handle); }
GraphExec* AsGraphExec(const void* handle) { return FindAlive<GraphExec>(handle); }

NodeType TypeOf(const Command& command) {
  if (command.nothing) return NodeType::kEmpty;
  switch (command.kind) {
    case OperationKind::kMemcpy:
      return NodeType::kMemcpy;
    case OperationKind::kMemset:
      return NodeType::kMemset;
    case OperationKind::kHostFunction:
      return NodeType::kHost;
    case OperationKind::kEventRecord:
      return NodeType::kEventRecord;
    case OperationKind::kStreamWait:
      return NodeType::kWaitEvent;
    default:
      return NodeType::kKernel;
  }
}

Node* AddNode(Graph* graph, NodeType type, const Command& command,
              const std::vector<Node*>& after) {
  Node* node = AddUntold(graph, type, command, after);
  TellNode(*node);
  return node;
}

void RemoveNode(Node* node) {
  EngineLock lock(EngineMutex());
  node->alive = false;
  auto& nodes = node->graph->nodes;
  nodes.erase(std::remove(nodes.begin(), nodes.end(), node), nodes.end());
  for (Node* other : nodes) {
    other->after.erase(std::remove(other->after.begin(), other->after.end(), node),
                       other->after.end());
  }
}

int Instantiate(const Graph* graph, uint64_t flags, GraphExec** out) {
  auto* exec = new GraphExec;
  {
    EngineLock lock(EngineMutex());
    All<GraphExec>().insert(exec);
    std::vector<size_t> leaves;
    if (!Flattener(&exec->nodes).Add(graph, {}, &leaves)) {
      exec->alive = false;
      return CUDA_ERROR_INVALID_VALUE;
    }
    exec->id = next_graph_id++;
    exec->graph_id = graph->id;
    exec->flags = flags;
    exec->has_memory_nodes = HasMemoryNodes(exec->nodes);
    CloneNodes(exec);
  }
  for (const ExecNode& node : exec->nodes) TellNode(*node.own);
  for (const ExecNode& node : exec->nodes) {
    if (node.command.function != nullptr) LoadFunction(CurrentContext(), node.command.function);
  }
  TellGraph(ResourceKind::kGraphExec, exec, exec->id, exec->graph_id, true);
  *out = exec;
  return CUDA_SUCCESS;
}

void DestroyGraphExec(GraphExec* exec) {
  TellGraph(ResourceKind::kGraphExec, exec, exec->id, exec->graph_id, false);
  EngineLock lock(EngineMutex());
  exec->alive = false;
}

int UpdateExec(GraphExec* exec, const Graph* graph, Node** culprit) {
  *culprit = nullptr;
  EngineLock lock(EngineMutex());
  std::vector<ExecNode> updated;
  std::vector<size_t> leaves;
  if (!Flattener(&updated).Add(graph, {}, &leaves)) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  const size_t common = std::min(updated.size(), exec->nodes.size());
  for (size_t i = 0; i < common; ++i) {
    const ExecNode &before = exec->nodes[i], &after = updated[i];
    if (before.node->type != after.node->type || before.after != after.after) {
      *culprit = const_cast<Node*>(after.node);
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
  }
  if (updated.size() != exec->nodes.size()) {
    if (updated.size() > common) *culprit = const_cast<Node*>(updated[common].node);
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  for (size_t i = 0; i < common; ++i) exec->nodes[i].command = updated[i].command;
  return CUDA_SUCCESS;
}

ExecNode* FindExecNode(GraphExec* exec, const Node* node) {
  EngineLock lock(EngineMutex());
  for (ExecNode& candidate : exec->nodes) {
    if (candidate.node == node || candidate.node->original == node) return &candidate;
  }
  return nullptr;
}

int LaunchGraph(GraphExec* exec, Stream* stream) {
  AwaitQueue(stream, WaitClass::kGraph);
  Submitted submitted;
  {
    EngineLock lock(EngineMutex());
    if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (exec->has_memory_nodes) {
      if (const int error = TakeGraphMemory(*exec, stream)) return error;
    }
    Dependencies entry = StreamOrder(stream);
    entry.Add(exec->last);
    std::vector<Point> ends(exec->nodes.size());
    Dependencies all = entry;
    uint64_t first_start_ns = UINT64_MAX;
    for (size_t i = 0; i < exec->nodes.size(); ++i) {
      Dependencies after;
      for (const size_t before : exec->nodes[i].after) after.Add(ends[before]);
      if (exec->nodes[i].after.empty()) after = entry;
      const Submitted::Placed placed = AddNodeWork(&submitted, exec->nodes[i], exec, stream, after);
      ends[i] = placed.end;
      if (placed.start_ns != 0 && !exec->nodes[i].command.nothing) {
        first_start_ns = std::min(first_start_ns, placed.start_ns);
      }
      all.Add(placed.end);
    }
    Command whole;
    whole.kind = OperationKind::kGraphLaunch;
    Work work = MakeWork(whole, stream);
    work.op.name = "graph";
    work.op.graph_id = exec->graph_id;
    work.op.graph_exec_id = exec->id;
    work.first_start_ns = first_start_ns;
    const Submitted::Placed placed = submitted.Add(std::move(work), all);
    exec->last = placed.end;
    if (exec->has_memory_nodes) LeaveGraphMemory(*exec, stream, placed.end);
    Advance(stream, placed.end);
    EnterQueue(stream, placed);
  }
  submitted.Publish();
  if (exec->has_memory_nodes) TellGraphMemory(*exec, stream);
  return CUDA_SUCCESS;
}

}  // namespace simgpu

SIMGPU_EXPORT uint32_t simgpu_graph_id(void* handle) {
  const simgpu::Graph* graph = simgpu::AsGraph(handle);
  return graph == nullptr ? 0 : graph->id;
}

SIMGPU_EXPORT uint32_t simgpu_graph_exec_id(void* handle) {
  const simgpu::GraphExec* exec = simgpu::AsGraphExec(handle);
  return exec == nullptr ? 0 : exec->id;
}

SIMGPU_EXPORT uint64_t simgpu_graph_node_id(void* handle) {
  const simgpu::Node* node = simgpu::AsNode(handle);
  return node == nullptr ? 0 : node->id;
}
