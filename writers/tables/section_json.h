// SPDX-License-Identifier: Apache-2.0
// Sections of a report as JSON values. Durations are milliseconds, with the nanoseconds behind the
// point; shares are percent; what nobody knows is null.
#pragma once

#include <cstdint>

#include "report/section.h"
#include "writers/files/json_fields.h"

namespace syncline {

inline double Milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

// An object a row.
Json SectionJson(const Section& section);

}  // namespace syncline
