// SPDX-License-Identifier: Apache-2.0
// Whether a loader asked its own functions for its tables, and not ours.
#pragma once

namespace syncline::level_zero {

// At the end, where no table ever came to us: says so in the log if a driver is loaded, which only
// a loader's zeInit does. Takes no lock.
void TellIfPassedBy();

}  // namespace syncline::level_zero
