// SPDX-License-Identifier: Apache-2.0
// Sections of a report as JSON values. Durations are milliseconds, with the nanoseconds behind the
// point; moments are nanoseconds since 1970.
#pragma once

#include <cstdint>

#include "report/report.h"
#include "writers/files/json_fields.h"

namespace syncline {

inline double Milliseconds(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

Json FindingsSection(const Report& report);
Json StagesSection(const Report& report);
// A job of many ranks has too many steps for a file: then only outliers are told one by one.
inline constexpr size_t kMostSteps = 100'000;

// Null: the value is not known.
template <typename Value>
Json Known(const Value& value, bool known) {
  return known ? Json(value) : Json(nullptr);
}
// `each`: every single step, not only the outliers.
Json StepsSection(const Report& report, bool each);
Json KernelsSection(const Report& report);
Json ClassesSection(const Report& report);
Json CopiesSection(const Report& report);
Json DevicesSection(const Report& report);
Json RanksSection(const Report& report);
// idle, compute and non_compute of each device, as HTA's get_temporal_breakdown has them.
Json TemporalSection(const Report& report);

}  // namespace syncline
