// SPDX-License-Identifier: Apache-2.0
// The work of graphs by the operators and modules in which it was captured.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "model/findings/run_findings.h"
#include "model/run/module_log.h"
#include "model/run/rank_model.h"
#include "model/run/time_limits.h"
#include "model/spool/record_sink.h"

namespace syncline {

// Sink of the second reading. One thread.
class ReplayedOperators : public RecordSink {
 public:
  // `run` outlives this.
  ReplayedOperators(const ProgramRun& run, uint64_t base_ns);

  unsigned Interests() const override { return kDevices; }
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;

  void Finish(RunFindings* findings) const;

 private:
  void FinishModules(RunFindings* findings) const;

  const ProgramRun& run_;
  const TimeLimits limits_;
  std::unordered_map<const CapturedWork*, uint64_t> ran_ns_;
  std::unordered_map<const ModuleLog::Path*, uint64_t> of_modules_ns_;
};

}  // namespace syncline
