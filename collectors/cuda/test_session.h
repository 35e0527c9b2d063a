// SPDX-License-Identifier: Apache-2.0
// Stands in for the runtime in this folder's tests: thread logs over plain memory, losses in an
// array, and the records read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/core/record.h"
#include "inject/core/segment.h"

namespace syncline::test {

// All threads of a test must have ended or be idle while these are called.

// Forgets all records, all losses and this thread's log.
void ResetSession();

uint64_t Losses(Loss kind);
uint64_t AllLosses();

// How many bytes of records a thread may write in all. Default: plenty.
void LimitRings(uint64_t bytes);

// Whether threads get logs. Default: true.
void SetRecording(bool on);

// As if this thread were in a hook that a signal handler interrupted.
void SetBusy(bool on);

// A record as a reader sees it; of the structs the one that belongs to the kind is filled in.
struct Recorded {
  RecordKind kind;
  uint8_t flags;
  std::string name;  // "(none)" if it has none, "(unknown)" if its id was never defined
  CallRecord call;
  DeviceOpRecord op;
  KernelDetails kernel;
  DeviceClockRecord clock;
  DeviceNoteRecord note;
  uint64_t device;
  DeviceFacts facts;
};

// All but definitions, per thread in the order written; of one kind if it is given.
std::vector<Recorded> ReadRecords();
std::vector<Recorded> ReadRecords(RecordKind kind);

}  // namespace syncline::test
