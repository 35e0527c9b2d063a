// SPDX-License-Identifier: Apache-2.0
// What a launcher that ends leaves to a process that goes on: a spool that begins with all that the
// process has defined so far.
#pragma once

#include <string>

#include "inject/consumer/spool_file.h"

namespace syncline {

// Writes what `spool` defines (streams, names, stacks, devices, clocks), and nothing that happened,
// into `rest`, which is new and empty; the process's records shall follow it. Moves the segment's
// mark there. False: it could not be written.
bool WriteRest(const std::string& spool, SegmentHeader* segment, SpoolFile* rest);

}  // namespace syncline
