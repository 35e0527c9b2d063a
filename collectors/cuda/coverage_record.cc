// SPDX-License-Identifier: Apache-2.0
// One record; its text is a name of the stream.
#include "collectors/cuda/coverage_record.h"

#include "collectors/cuda/cuda_source.h"
#include "inject/core/emit.h"

namespace syncline::cuda {

void RecordCoverage(GpuCoverage coverage, const char* why, uint64_t since) {
  HookScope scope;
  if (!scope) return;
  const uint32_t name = *why == '\0' ? 0 : NameId(scope.log(), why);
  const GpuCoverageRecord record = {
      {static_cast<uint8_t>(RecordKind::kGpuCoverage), 0, 1, name}, since, coverage, kSource, {}};
  if (!Emit(scope.log(), record)) CountLoss(kLoss_ring_full);
}

}  // namespace syncline::cuda
