// SPDX-License-Identifier: Apache-2.0
// Between the reader and the writer of traces: gives a process's GPU records to the analysis, and
// its waits and gaps to the trace.
#pragma once

#include "writers/derived.h"

namespace syncline {

// Reads the spool twice. Takes at most about `room` bytes, 64 for each operation and call and 2 KiB
// for each wait and gap; where that does not do, none are given, and `missing` says so.
void AnalyseGpuWork(const DeriveRequest& request, uint64_t room, Derived* derived);

}  // namespace syncline
