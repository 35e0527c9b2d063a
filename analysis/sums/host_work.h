// SPDX-License-Identifier: Apache-2.0
// What the thread that launched next did in the gaps of a device, as samples of the host tell.
#pragma once

#include <string>

#include "model/findings/run_findings.h"
#include "model/run/host_samples.h"
#include "model/run/rank_model.h"
#include "model/run/time_limits.h"

namespace syncline {

// Adds up to findings->host_work. `line_less_monotonic_ns`: what a time of the samples has to be
// moved by, to be on the job's line.
void SumHostWork(const ProgramRun& run, const SourceRun& source, const TimeLimits& limits,
                 const HostSamples& samples, int64_t line_less_monotonic_ns, const OwnCode& own,
                 RunFindings* findings);

}  // namespace syncline
