// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs as CUPTI tells of them, where records of work name the node.
#pragma once

#include <cupti.h>

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// From now on each node is recorded with what its thread was doing. Nothing happens where CUPTI has
// no numbers of nodes.
void WatchGraphNodes(const Cupti& cupti, CUpti_SubscriberHandle subscriber);

// On the thread of the call that made or cloned it. Nothing happens where nodes are not watched.
// Keeps errno.
// `instantiates`: the call makes an executable graph, whose nodes are clones of the graph's.
void OnNodeMade(const CUpti_ResourceData& data, bool instantiates);
void OnNodeCloned(const CUpti_ResourceData& data);

}  // namespace syncline::cuda
