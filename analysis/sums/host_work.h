// SPDX-License-Identifier: Apache-2.0
// What the thread that launched next did in the gaps of a device, as samples of the host tell.
#pragma once

#include <string>

#include "model/findings/run_findings.h"
#include "model/run/host_samples.h"
#include "model/run/rank_model.h"
#include "model/run/time_limits.h"

namespace syncline {

// A run's samples, and where they lie on the job's line.
struct PlacedSamples {
  const HostSamples* samples = nullptr;  // null: there are none
  int64_t line_less_monotonic_ns = 0;
};

// Adds up to findings->host_work what was from `begin_ns` on. A thread without frames of Python
// works for another one, as autograd's do: of its time the process's first thread tells the line.
void SumHostWork(const ProgramRun& run, const SourceRun& source, const TimeLimits& limits,
                 uint64_t begin_ns, const PlacedSamples& samples, const OwnCode& own,
                 RunFindings* findings);

}  // namespace syncline
