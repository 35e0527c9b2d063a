// SPDX-License-Identifier: Apache-2.0
// The way out of a run that recorded nothing.
#pragma once

#include <string>

#include "launcher/jobs/job.h"

namespace syncline {

// Takes back what EnterJob did for this command, as far as nobody else needs it: other launchers of
// the job, or whoever put a file there. What was there before stays. Returns why the run's
// directory stays, as the end of a sentence; "" if nothing of ours stays.
std::string LeaveJob(const Job& job, int rank);

}  // namespace syncline
