// SPDX-License-Identifier: Apache-2.0
// Kernels that take much of the computing and fill their device badly.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

// A part of a sentence for each of the costliest ones; empty: there are none, or nothing is known.
// `computing_ns`: of all kernels that do not communicate.
std::string FillVerdict(const Report& report, uint64_t computing_ns);

}  // namespace syncline
