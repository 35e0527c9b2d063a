// SPDX-License-Identifier: Apache-2.0
// Stands in for the runtime in collectors' tests: thread logs over plain memory, losses in an
// array.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/core/record.h"
#include "inject/core/segment.h"

namespace syncline::test {

// Threads keep their logs until they end; a fork's child gets new ones, as in the product. All
// threads of a test must have ended or be idle while these are called.

// Forgets all records, all losses and this thread's log.
void ResetSession();

uint64_t Losses(Loss kind);
uint64_t AllLosses();

// How many bytes of records a thread may write in all. Default: plenty.
void LimitRings(uint64_t bytes);

// For benchmarks: from now on new threads write round and round in a ring of 1 MiB that is always
// empty.
void DrainRings();

// Whether threads get logs, and what CollectorEnabled answers. Default: true.
void SetRecording(bool on);
void SetCollectorEnabled(bool on);

// Bits of the sources that TellLeftOut was called for.
uint32_t LeftOut();

// As if this thread, which has recorded before, were in a hook that a signal handler interrupted.
void SetBusy(bool on);

// What the runtime calls in a fork's child before its first record: a collector's fork_child.
// Default: nothing.
void SetForkChild(void (*fork_child)());

// What a thread wrote since ResetSession.
struct ThreadRecords {
  uint32_t tid;
  const char* records;
  uint64_t bytes;
};

// In the order in which the threads began.
std::vector<ThreadRecords> RecordsOfThreads();

// The open ranges of the calling thread.
const OpenRange* OpenRanges(uint32_t* depth);

}  // namespace syncline::test
