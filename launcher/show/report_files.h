// SPDX-License-Identifier: Apache-2.0
// DIR/report of a run: the report as files.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

inline constexpr char kSignatureFile[] = "io_signature.json";

std::string ReportFolder(const std::string& directory);

// Replaces each file in one step. False: not all could be written, and why was said.
bool WriteReportFiles(const std::string& directory, const Report& report);

// Writes io_signature.json there, if signatures were kept; why it could not be written is said.
void WriteSignatureFile(const std::string& directory, const RunFindings& findings);

}  // namespace syncline
