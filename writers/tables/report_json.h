// SPDX-License-Identifier: Apache-2.0
// A report for programs: docs/report.md.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

inline constexpr char kReportSchema[] = "syncline.report/1";
inline constexpr char kTimingSchema[] = "syncline.timing/1";
inline constexpr char kBreakdownSchema[] = "syncline.breakdown/1";

std::string ReportJson(const Report& report);
// What each stage and step took.
std::string TimingJson(const Report& report);
// What the devices did: kernels, classes, copies, and how HTA divides their time.
std::string BreakdownJson(const Report& report);

}  // namespace syncline
