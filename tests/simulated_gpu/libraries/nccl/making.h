// SPDX-License-Identifier: Apache-2.0
// The ways to make a communicator: from an id that the ranks pass around, and from another one.
#pragma once

#include <memory>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/communicator.h"

namespace simgpu::nccl {

Result MakeId(UniqueId* id);

// The communicator of `ranks` that have the id; answers at once, AwaitMade when all have come.
std::shared_ptr<Communicator> MakeOfId(const UniqueId& id, int rank, int ranks, int device,
                                       bool blocking);

// A communicator of those `participants` (ranks of the parent) that give the same color, ordered by
// key and rank. Each participant has to call. One of kNoColor gets a communicator of no ranks.
std::shared_ptr<Communicator> MakeOfParent(const std::shared_ptr<Communicator>& parent,
                                           std::vector<int> participants, int color, int key,
                                           bool blocking);

}  // namespace simgpu::nccl
