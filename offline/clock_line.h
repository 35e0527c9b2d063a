// SPDX-License-Identifier: Apache-2.0
// Which ranks share a clock.
#pragma once

#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// The clock on which times stand that were recorded on `host` and that `job_anchor` ties to the
// job's line. Of another host than this one only its name is known.
ClockLine LineOf(const Anchor& job_anchor, const std::string& host);

}  // namespace syncline
