// SPDX-License-Identifier: Apache-2.0
// The driver API: graphs made of explicit nodes, their edges, and executable graphs.
#include "tests/simulated_gpu/engine/graph.h"

#include <algorithm>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/graph_nodes.h"

using simgpu::AsGraph;
using simgpu::AsGraphExec;
using simgpu::AsNode;
using simgpu::AsResult;
using simgpu::Graph;
using simgpu::GraphExec;
using simgpu::Node;
using simgpu::NodesOf;
using simgpu::NodeType;

namespace {

CUgraphNode Handle(const Node* node) {
  return reinterpret_cast<CUgraphNode>(const_cast<Node*>(node));
}

// The two-step protocol of the list getters: with a null list the count, else at most *count
// entries and the rest null.
CUresult List(const std::vector<const Node*>& nodes, CUgraphNode* out, size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (out != nullptr) {
    for (size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? Handle(nodes[i]) : nullptr;
  }
  *count = out == nullptr ? nodes.size() : std::min(*count, nodes.size());
  return CUDA_SUCCESS;
}

CUresult ListEdges(const Graph* graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  std::vector<const Node*> begins, ends;
  for (const Node* node : graph->nodes) {
    for (const Node* before : node->after) {
      begins.push_back(before);
      ends.push_back(node);
    }
  }
  size_t also = count == nullptr ? 0 : *count;
  const CUresult result = List(begins, from, count);
  return result != CUDA_SUCCESS || to == nullptr ? result : List(ends, to, &also);
}

CUresult InstantiateInto(CUgraphExec* out, CUgraph handle, unsigned long long flags) {
  const Graph* graph = AsGraph(handle);
  if (graph == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphExec* exec = nullptr;
  const int result = simgpu::Instantiate(graph, flags, &exec);
  if (result == 0) *out = reinterpret_cast<CUgraphExec>(exec);
  return AsResult(result);
}

}  // namespace

SIMGPU_CALL(kDriver, cuGraphCreate, (CUgraph * phGraph, unsigned int flags), phGraph, flags) {
  if (phGraph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *phGraph = reinterpret_cast<CUgraph>(simgpu::CreateGraph());
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphDestroy, (CUgraph hGraph), hGraph) {
  Graph* graph = AsGraph(hGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::DestroyGraph(graph);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphClone, (CUgraph * phGraphClone, CUgraph originalGraph), phGraphClone,
            originalGraph) {
  const Graph* graph = AsGraph(originalGraph);
  if (graph == nullptr || phGraphClone == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *phGraphClone = reinterpret_cast<CUgraph>(simgpu::CloneGraph(graph));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphNodeFindInClone,
            (CUgraphNode * phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph), phNode,
            hOriginalNode, hClonedGraph) {
  const Graph* graph = AsGraph(hClonedGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (const Node* node : graph->nodes) {
    if (Handle(node->original) != hOriginalNode) continue;
    *phNode = Handle(node);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kDriver, cuGraphGetNodes, (CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes),
            hGraph, nodes, numNodes) {
  const Graph* graph = AsGraph(hGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return List({graph->nodes.begin(), graph->nodes.end()}, nodes, numNodes);
}

SIMGPU_CALL(kDriver, cuGraphGetRootNodes,
            (CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes), hGraph, rootNodes,
            numRootNodes) {
  const Graph* graph = AsGraph(hGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<const Node*> roots;
  for (const Node* node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node);
  }
  return List(roots, rootNodes, numRootNodes);
}

SIMGPU_CALL(kDriver, cuGraphGetEdges,
            (CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
             size_t* numEdges),
            hGraph, from, to, edgeData, numEdges) {
  const Graph* graph = AsGraph(hGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = ListEdges(graph, from, to, numEdges);
  if (edgeData != nullptr) std::fill_n(edgeData, *numEdges, CUgraphEdgeData{});
  return result;
}

SIMGPU_CALL(kDriver, cuGraphNodeGetDependencies,
            (CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
             size_t* numDependencies),
            hNode, dependencies, edgeData, numDependencies) {
  const Node* node = AsNode(hNode);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result =
      List({node->after.begin(), node->after.end()}, dependencies, numDependencies);
  if (edgeData != nullptr) std::fill_n(edgeData, *numDependencies, CUgraphEdgeData{});
  return result;
}

SIMGPU_CALL(kDriver, cuGraphNodeGetDependentNodes,
            (CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
             size_t* numDependentNodes),
            hNode, dependentNodes, edgeData, numDependentNodes) {
  Node* node = AsNode(hNode);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<const Node*> dependents;
  for (const Node* other : node->graph->nodes) {
    if (std::find(other->after.begin(), other->after.end(), node) != other->after.end())
      dependents.push_back(other);
  }
  const CUresult result = List(dependents, dependentNodes, numDependentNodes);
  if (edgeData != nullptr) std::fill_n(edgeData, *numDependentNodes, CUgraphEdgeData{});
  return result;
}

SIMGPU_CALL(kDriver, cuGraphAddDependencies,
            (CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
             const CUgraphEdgeData* edgeData, size_t numDependencies),
            hGraph, from, to, edgeData, numDependencies) {
  (void)edgeData;
  if (AsGraph(hGraph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < numDependencies; ++i) {
    Node *before = AsNode(from[i]), *node = AsNode(to[i]);
    if (before == nullptr || node == nullptr || before == node) return CUDA_ERROR_INVALID_VALUE;
    if (std::find(node->after.begin(), node->after.end(), before) != node->after.end())
      return CUDA_ERROR_INVALID_VALUE;
    node->after.push_back(before);
  }
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphRemoveDependencies,
            (CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
             const CUgraphEdgeData* edgeData, size_t numDependencies),
            hGraph, from, to, edgeData, numDependencies) {
  (void)edgeData;
  if (AsGraph(hGraph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < numDependencies; ++i) {
    Node *before = AsNode(from[i]), *node = AsNode(to[i]);
    if (before == nullptr || node == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = std::find(node->after.begin(), node->after.end(), before);
    if (found == node->after.end()) return CUDA_ERROR_INVALID_VALUE;
    node->after.erase(found);
  }
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphNodeGetType, (CUgraphNode hNode, CUgraphNodeType* type), hNode, type) {
  const Node* node = AsNode(hNode);
  if (node == nullptr || type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = static_cast<CUgraphNodeType>(node->type);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphDestroyNode, (CUgraphNode hNode), hNode) {
  Node* node = AsNode(hNode);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::RemoveNode(node);
  return CUDA_SUCCESS;
}

// ---- executable graphs
// -------------------------------------------------------------------------------------------------

SIMGPU_CALL(kContext, cuGraphInstantiateWithFlags,
            (CUgraphExec * phGraphExec, CUgraph hGraph, unsigned long long flags), phGraphExec,
            hGraph, flags) {
  return InstantiateInto(phGraphExec, hGraph, flags);
}

// The form of CUDA 11, with the error node.
SIMGPU_EXPORT CUresult CUDAAPI cuGraphInstantiate_v2(CUgraphExec* phGraphExec, CUgraph hGraph,
                                                     CUgraphNode* phErrorNode, char* logBuffer,
                                                     size_t bufferSize) {
  const cuGraphInstantiate_v2_params params{phGraphExec, hGraph, phErrorNode, logBuffer,
                                            bufferSize};
  simgpu::ApiScope scope(*simgpu_seam(), simgpu::Domain::kDriver, SIMGPU_CBID_cuGraphInstantiate_v2,
                         "cuGraphInstantiate_v2", &params);
  const CUresult refused = simgpu::Admit(simgpu::Needs::kContext);
  if (phErrorNode != nullptr) *phErrorNode = nullptr;
  if (logBuffer != nullptr && bufferSize > 0) *logBuffer = '\0';
  return AsResult(
      scope.Return(refused != CUDA_SUCCESS ? refused : InstantiateInto(phGraphExec, hGraph, 0)));
}

SIMGPU_CALL(kDriver, cuGraphExecDestroy, (CUgraphExec hGraphExec), hGraphExec) {
  GraphExec* exec = AsGraphExec(hGraphExec);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::DestroyGraphExec(exec);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphExecGetFlags, (CUgraphExec hGraphExec, cuuint64_t* flags), hGraphExec,
            flags) {
  const GraphExec* exec = AsGraphExec(hGraphExec);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuGraphExecUpdate,
            (CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo* resultInfo),
            hGraphExec, hGraph, resultInfo) {
  GraphExec* exec = AsGraphExec(hGraphExec);
  const Graph* graph = AsGraph(hGraph);
  if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Node* culprit = nullptr;
  const int result = simgpu::UpdateExec(exec, graph, &culprit);
  if (resultInfo != nullptr) {
    *resultInfo = CUgraphExecUpdateResultInfo{};
    resultInfo->result =
        result == 0 ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    resultInfo->errorNode = Handle(culprit);
  }
  return AsResult(result);
}

SIMGPU_CALL(kDriver, cuGraphNodeSetEnabled,
            (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled), hGraphExec, hNode,
            isEnabled) {
  GraphExec* exec = AsGraphExec(hGraphExec);
  simgpu::ExecNode* node = exec == nullptr ? nullptr : simgpu::FindExecNode(exec, AsNode(hNode));
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->enabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphNodeGetEnabled,
            (CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int* isEnabled), hGraphExec, hNode,
            isEnabled) {
  GraphExec* exec = AsGraphExec(hGraphExec);
  const simgpu::ExecNode* node =
      exec == nullptr ? nullptr : simgpu::FindExecNode(exec, AsNode(hNode));
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *isEnabled = node->enabled;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphDebugDotPrint, (CUgraph hGraph, const char* path, unsigned int flags),
            hGraph, path, flags) {
  (void)flags;
  const Graph* graph = AsGraph(hGraph);
  std::FILE* file = graph == nullptr || path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::fprintf(file, "digraph graph_%u {\n", graph->id);
  for (const Node* node : graph->nodes) {
    std::fprintf(file, "  n%llu;\n", static_cast<unsigned long long>(node->id));
    for (const Node* before : node->after) {
      std::fprintf(file, "  n%llu -> n%llu;\n", static_cast<unsigned long long>(before->id),
                   static_cast<unsigned long long>(node->id));
    }
  }
  std::fprintf(file, "}\n");
  std::fclose(file);
  return CUDA_SUCCESS;
}

// ---- user objects: kept with a graph, never destroyed, as graphs are not
// -------------------------------------------------

SIMGPU_CALL(kDriver, cuUserObjectCreate,
            (CUuserObject * object_out, void* ptr, CUhostFn destroy, unsigned int initialRefcount,
             unsigned int flags),
            object_out, ptr, destroy, initialRefcount, flags) {
  (void)ptr, (void)flags;
  if (object_out == nullptr || destroy == nullptr || initialRefcount == 0)
    return CUDA_ERROR_INVALID_VALUE;
  *object_out = reinterpret_cast<CUuserObject>(destroy);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuUserObjectRelease, (CUuserObject object, unsigned int count), object,
            count) {
  return object == nullptr || count == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuGraphRetainUserObject,
            (CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags), graph,
            object, count, flags) {
  (void)count, (void)flags;
  return AsGraph(graph) == nullptr || object == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
