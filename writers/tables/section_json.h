// SPDX-License-Identifier: Apache-2.0
// Sections of a report as JSON values. Durations are milliseconds, with the nanoseconds behind the
// point; shares are percent; what nobody knows is null.
#pragma once

#include <cstdint>

#include "report/report.h"
#include "report/section.h"
#include "writers/files/json_fields.h"

namespace syncline {

inline double Milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

// An object a row.
Json SectionJson(const Section& section);

// What to change, with the ways in which each finding waits, where there are several.
Json FindingsJson(const Report& report);

// What each document of a report begins with.
Json DocumentJson(const char* schema, const Report& report);

}  // namespace syncline
