// SPDX-License-Identifier: Apache-2.0
// Calls that had not returned when their process ended.
#pragma once

#include <string>
#include <vector>

#include "model/run/rank_model.h"
#include "model/run/source_run.h"

namespace syncline {

// Of the waits of a source that never ended the longest, in sentences: "process 123 ended 1.83 s
// after it had called cudaDeviceSynchronize at train.py:8 main(), which had not returned". The
// source's findings are complete.
std::vector<std::string> UnfinishedWaits(const ProgramRun& run, const SourceRun& source);

}  // namespace syncline
