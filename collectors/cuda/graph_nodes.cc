// SPDX-License-Identifier: Apache-2.0
// Made during the capture (or by the program), cloned by cudaGraphInstantiate: records of work have
// the clone's number. So NVIDIA's sample cuda_graphs_trace joins them.
#include "collectors/cuda/graph_nodes.h"

#include <atomic>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/graph_nodes.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

// Written once, before the first callback is enabled: relaxed.
std::atomic<const Cupti*> g_numbering_nodes;

// 0: it has none.
uint64_t NumberOf(CUgraphNode node) {
  const Cupti* cupti = g_numbering_nodes.load(std::memory_order_relaxed);
  uint64_t number = 0;
  if (cupti == nullptr || node == nullptr ||
      cupti->cuptiGetGraphNodeId(node, &number) != CUPTI_SUCCESS)
    return 0;
  return number;
}

}  // namespace

void WatchGraphNodes(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  if (cupti.cuptiGetGraphNodeId == nullptr) return;
  g_numbering_nodes.store(&cupti, std::memory_order_relaxed);
  (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
}

void OnNodeMade(const CUpti_ResourceData& data, bool instantiates) {
  const ErrnoKeeper keeper;
  const auto* made = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  if (instantiates || made == nullptr) return;
  if (const uint64_t node = NumberOf(made->node); node != 0) RecordGraphNode(kSource, node);
}

void OnNodeCloned(const CUpti_ResourceData& data) {
  const ErrnoKeeper keeper;
  const auto* made = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
  if (made == nullptr) return;
  const uint64_t node = NumberOf(made->node), original = NumberOf(made->originalNode);
  if (node != 0 && original != 0) RecordClonedNode(kSource, node, original);
}

}  // namespace syncline::cuda
