// SPDX-License-Identifier: Apache-2.0
// ncclGroupStart and ncclGroupEnd: what a thread has called since, and how it becomes kernels.
#pragma once

#include <memory>
#include <variant>

#include "tests/simulated_gpu/libraries/nccl/communicator.h"

namespace simgpu::nccl {

// The group of the calling thread. Each call outside of a group is a group of its own.
void GroupStart();
Result GroupEnd();

// A call; the result is kSuccess inside a group, where GroupEnd answers.
Result Call(const std::shared_ptr<Communicator>& communicator, void* stream,
            const std::variant<CollectiveCall, Transfer>& call);
// A communicator that is being made: GroupEnd waits for it.
Result Await(const std::shared_ptr<Communicator>& communicator);

}  // namespace simgpu::nccl
