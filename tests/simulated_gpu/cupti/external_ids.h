// SPDX-License-Identifier: Apache-2.0
// The stacks of external correlation ids, one per thread and kind.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <vector>

#include "tests/simulated_gpu/cupti/thread_owned.h"

namespace simgpu::cupti {

class ExternalIds {
 public:
  static constexpr uint32_t kKinds = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;

  static ExternalIds& OfThread() { return ThreadOwned<ExternalIds>(); }

  CUptiResult Push(uint32_t kind, uint64_t id) {
    if (!IsKind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
    stacks_[kind].push_back(id);
    return CUPTI_SUCCESS;
  }
  CUptiResult Pop(uint32_t kind, uint64_t* last) {
    if (!IsKind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
    if (stacks_[kind].empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    if (last != nullptr) *last = stacks_[kind].back();
    stacks_[kind].pop_back();
    return CUPTI_SUCCESS;
  }
  const std::vector<uint64_t>& Stack(uint32_t kind) const { return stacks_[kind]; }

 private:
  static bool IsKind(uint32_t kind) {
    return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID && kind < kKinds;
  }
  std::vector<uint64_t> stacks_[kKinds];
};

}  // namespace simgpu::cupti
