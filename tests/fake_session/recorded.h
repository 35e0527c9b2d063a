// SPDX-License-Identifier: Apache-2.0
// What the fake session recorded of a GPU's API and of devices, with names in place of their ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/core/record.h"

namespace syncline::test {

// A record as a reader sees it; of the structs the one that belongs to the kind is filled in.
struct Recorded {
  RecordKind kind;
  uint8_t flags;
  std::string name;       // "(none)" if it has none, "(unknown)" if its id was never defined
  uint16_t number;        // of the name: the vendor's, of the call that bears it
  std::string arguments;  // of a call that has some
  CallRecord call;
  DeviceOpRecord op;
  KernelDetails kernel;
  DeviceClockRecord clock;
  DeviceEventRecord note;
  uint64_t device;
  DeviceFacts facts;
};

// All but definitions, per thread in the order written; of one kind if it is given.
std::vector<Recorded> ReadRecords();
std::vector<Recorded> ReadRecords(RecordKind kind);

}  // namespace syncline::test
