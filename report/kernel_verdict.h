// SPDX-License-Identifier: Apache-2.0
// What limits devices that compute nearly all the time: which kinds of kernels, and which single
// ones leave much of a device without work.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

// "matrix products take 90 % of the computing: ..."; empty: devices compute less than half of
// the time, so that something else limits, or no kind has enough of it and each fills its device.
std::string KernelVerdict(const Report& report);

}  // namespace syncline
