// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes that a program made or a capture collected, executable graphs, and stream captures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulated_gpu/engine/command.h"

namespace simgpu {

struct Graph;

// As CUgraphNodeType numbers them.
enum class NodeType : uint32_t {
  kKernel = 0,
  kMemcpy = 1,
  kMemset = 2,
  kHost = 3,
  kGraph = 4,
  kEmpty = 5,
  kWaitEvent = 6,
  kEventRecord = 7,
  kMemAlloc = 10,
  kMemFree = 11,
};

struct Node {
  bool alive = true;
  uint64_t id = 0;
  Graph* graph = nullptr;
  NodeType type = NodeType::kEmpty;
  Command command;
  std::vector<Node*> after;  // its dependencies
  Graph* child = nullptr;
  void** kernel_parameters = nullptr;  // given back by GetParams, never read
  uint64_t address = 0, bytes = 0;     // allocation and free nodes
  Device* device = nullptr;            // allocation nodes
  const Node* original = nullptr;      // of a node of a clone or an executable graph
};

struct Graph {
  bool alive = true;
  uint32_t id = 0;
  std::vector<Node*> nodes;
};

struct ExecNode {
  const Node* node;  // of the graph as it was made from
  const Node* own;   // what records of its work name
  Command command;
  std::vector<size_t> after;  // indices, smaller than its own
  bool enabled = true;
};

struct GraphExec {
  bool alive = true;
  uint32_t id = 0, graph_id = 0;
  uint64_t flags = 0;
  std::vector<ExecNode>
      nodes;  // child graphs dissolved, in an order that respects the dependencies
  bool has_memory_nodes = false;
  Point last;  // the end of its last launch
};

// A capture in progress; its streams are those that point to it. Guarded by the engine lock.
struct Capture {
  uint64_t id = 0;
  Graph* graph = nullptr;
  Stream* origin = nullptr;
  int mode = 0;  // CUstreamCaptureMode
  uint32_t thread = 0;
  bool invalid = false;
  bool into_given_graph = false;
  std::vector<Stream*> streams;
};

// The functions below take the engine lock unless they say otherwise, and answer with a CUresult
// where they answer an int.
Graph* CreateGraph();
void DestroyGraph(Graph* graph);
Graph* CloneGraph(const Graph* graph);
Graph* AsGraph(const void* handle);
Node* AsNode(const void* handle);
GraphExec* AsGraphExec(const void* handle);
Node* AddNode(Graph* graph, NodeType type, const Command& command, const std::vector<Node*>& after);
void RemoveNode(Node* node);

// Null and a CUresult where the graph has a cycle.
int Instantiate(const Graph* graph, uint64_t flags, GraphExec** exec);
void DestroyGraphExec(GraphExec* exec);
// 0, or CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE where the shapes differ; *culprit is then the first
// node that does.
int UpdateExec(GraphExec* exec, const Graph* graph, Node** culprit);
ExecNode* FindExecNode(GraphExec* exec, const Node* node);
int LaunchGraph(GraphExec* exec, Stream* stream);

int BeginCapture(Stream* stream, int mode, Graph* into, const std::vector<Node*>& after);
int EndCapture(Stream* stream, Graph** graph);
// A call that a capture does not allow: refuses it and breaks the capture. `any_stream`: of the
// whole context.
int RefuseDuringCapture(Stream* stream);
int RefuseUnsafeCall();
// Under the lock: the command becomes a node of the stream's capture.
int CaptureCommand(Stream* stream, const Command& command, Node** node);
// The stream-ordered allocator in a capture: nodes. Nothing where the stream does not capture.
std::optional<int> CaptureAllocation(Stream* stream, Device* device, uint64_t bytes,
                                     void** address);
std::optional<int> CaptureFree(Stream* stream, void* address);
NodeType TypeOf(const Command& command);
// Under the lock: whether work in the legacy stream would have to wait for a capturing stream.
int CheckImplicitCapture(Stream* stream);

}  // namespace simgpu
