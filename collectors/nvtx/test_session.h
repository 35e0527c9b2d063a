// SPDX-License-Identifier: Apache-2.0
// Stands in for the runtime in this folder's tests: thread logs over plain memory, losses in an
// array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/segment.h"
#include "inject/core/thread_log.h"

namespace syncline::test {

// Threads keep their logs until they end; a fork's child gets new ones, as in the product. All
// threads of a test must have ended or be idle while these are called.

// Forgets all records, all losses and this thread's log.
void ResetSession();

uint64_t Losses(Loss kind);
uint64_t AllLosses();

// How many bytes of records a thread may write from now on; AcquireThreadLog and MakeRoom fail
// beyond. Default: plenty.
void LimitRings(uint64_t bytes);

// For benchmarks: from now on new threads write round and round in a ring of 1 MiB that is always
// empty.
void DrainRings();

// Whether AcquireThreadLog gives out logs, and what CollectorEnabled answers. Default: true.
void SetRecording(bool on);
void SetCollectorEnabled(bool on);

// Calls `visit` for the records of each thread, in the order in which they began.
void ForEachThread(void (*visit)(const char* records, uint64_t bytes, uint32_t tid, void* context),
                   void* context);

// The open ranges of the calling thread.
const OpenRange* OpenRanges(uint32_t* depth);

}  // namespace syncline::test
