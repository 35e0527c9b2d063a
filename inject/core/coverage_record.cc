// SPDX-License-Identifier: Apache-2.0
// One record; its text is a name of the stream.
#include "inject/core/coverage_record.h"

#include "inject/core/clock.h"
#include "inject/core/device_times.h"
#include "inject/core/emit.h"

namespace syncline {

void RecordCoverage(Source source, GpuCoverage coverage, const char* why, uint64_t since) {
  SetDeviceTimeCoverage(source, coverage);
  HookScope scope;
  if (!scope) return;
  // The first record of a process begins its session, which chooses the clock: now, not before.
  const uint32_t name = *why == '\0' ? 0 : NameId(scope.log(), why);
  const GpuCoverageRecord record = {{static_cast<uint8_t>(RecordKind::kGpuCoverage), 0, 1, name},
                                    since == 0 ? Ticks() : since,
                                    coverage,
                                    source,
                                    {}};
  if (!Emit(scope.log(), record)) CountLoss(kLoss_ring_full);
}

}  // namespace syncline
