// SPDX-License-Identifier: Apache-2.0
// Between the reader and the writer of traces: gives a process's GPU records to the analysis, and
// its waits and gaps to the trace.
#pragma once

#include "writers/derived.h"

namespace syncline {

// Reads the spool twice. Memory: 48 bytes an operation, 32 a call, at most about a quarter of what
// is free; beyond it nothing is looked for, and `missing` says so.
void AnalyseGpuWork(const DeriveRequest& request, Derived* derived);

}  // namespace syncline
