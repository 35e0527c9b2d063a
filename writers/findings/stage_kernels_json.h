// SPDX-License-Identifier: Apache-2.0
// Which kernels stages launched, in a file of findings: columns of a stage, there and back.
#pragma once

#include <cstddef>

#include "model/findings/run_findings.h"
#include "writers/files/json_fields.h"
#include "writers/files/json_view.h"

namespace syncline {

// Kernels by their place in the document's `kernels`.
Json StageKernelColumns(const RunFindings& findings);
// A row for each, with names, for programs.
Json StageKernelRows(const RunFindings& findings);
// Of a document of which all else was taken.
void TakeStageKernels(const JsonValue& document, RunFindings* findings);

}  // namespace syncline
