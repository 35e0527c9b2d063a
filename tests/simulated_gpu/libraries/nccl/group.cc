// SPDX-License-Identifier: Apache-2.0
// Groups of calls: those of one communicator and one stream are one kernel for all collectives and
// one for all transfers.
#include "tests/simulated_gpu/libraries/nccl/group.h"

#include <utility>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/engine.h"

namespace simgpu::nccl {
namespace {

struct Kernel {
  std::shared_ptr<Communicator> communicator;
  void* stream;
  Batch batch;
};

struct Group {
  int depth = 0;
  std::vector<std::shared_ptr<Communicator>> made;
  std::vector<Kernel> kernels;
};

Group& ThisGroup() {
  thread_local Group group;
  return group;
}

Batch& BatchFor(const std::shared_ptr<Communicator>& communicator, void* stream, bool collective) {
  for (Kernel& kernel : ThisGroup().kernels) {
    if (kernel.communicator == communicator && kernel.stream == stream &&
        kernel.batch.transfers.empty() == collective)
      return kernel.batch;
  }
  ThisGroup().kernels.push_back({communicator, stream, {}});
  return ThisGroup().kernels.back().batch;
}

// Communicators first: kernels may belong to them.
Result Flush() {
  Group group;
  std::swap(group, ThisGroup());
  Result result = kSuccess;
  const auto keep = [&](Result next) {
    if (result == kSuccess || result == kInProgress) result = next == kSuccess ? result : next;
  };
  for (const std::shared_ptr<Communicator>& made : group.made)
    keep(made->blocking() ? made->AwaitMade() : made->state());
  for (Kernel& kernel : group.kernels) {
    const Result made = kernel.communicator->AwaitMade();
    keep(made != kSuccess
             ? made
             : LaunchBatch(kernel.communicator, std::move(kernel.batch), kernel.stream));
  }
  return result;
}

}  // namespace

void GroupStart() { ++ThisGroup().depth; }

Result GroupEnd() {
  Group& group = ThisGroup();
  if (group.depth == 0) {
    SetLastError("ncclGroupEnd without ncclGroupStart");
    return kInvalidUsage;
  }
  return --group.depth > 0 ? kSuccess : Flush();
}

Result Call(const std::shared_ptr<Communicator>& communicator, void* stream,
            const std::variant<CollectiveCall, Transfer>& call) {
  if (const auto* collective = std::get_if<CollectiveCall>(&call)) {
    BatchFor(communicator, stream, true).collectives.push_back(*collective);
  } else {
    BatchFor(communicator, stream, false).transfers.push_back(std::get<Transfer>(call));
  }
  return ThisGroup().depth > 0 ? kSuccess : Flush();
}

Result Await(const std::shared_ptr<Communicator>& communicator) {
  ThisGroup().made.push_back(communicator);
  return ThisGroup().depth > 0 ? kSuccess : Flush();
}

}  // namespace simgpu::nccl
