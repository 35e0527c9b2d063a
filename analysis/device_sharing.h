// SPDX-License-Identifier: Apache-2.0
// Several processes on one device: it is idle where none of them works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sums/work_spans.h"
#include "model/devices/coverage_gaps.h"
#include "model/findings/run_findings.h"
#include "model/run/source_run.h"
#include "model/run/time_limits.h"

namespace syncline {

// What one process did on one device, from its analysis until all processes are analysed.
struct DeviceWork {
  std::string id;  // as IdOfDevice; empty: nobody knows who else used it
  SourceRun* source = nullptr;
  uint32_t device = 0;  // as the process numbers it
  size_t use = 0;       // in RankPart::devices
  TimeLimits limits;
  std::vector<CoverageGap> closed;  // when nothing of the process was recorded, joined
  WorkSpans spans;
  bool is_shared = false;  // filled in by ShareDevices
};

struct RankDevices {
  std::vector<DeviceWork>* works;
  RankPart* part;
};

// Of ranks on one machine, each once. Where several processes used one device:
// - an idle time of the device is a gap of the process whose work ends it, and of no other one; so
//   gaps lose their first part, and those shorter than `shortest_gap_ns` become empty. What was
//   taken off is counted as if a gap were first what the thread waited, then what else it did, then
//   what came after the submission;
// - a wait is followed by idle time until any process's work begins;
// - processes of one rank that used it at one time become one DeviceUse; DeviceUse::others_ns tells
//   of the rest.
// A process's time in which nothing was recorded is no idle time of the others.
//
// And how long each of several devices of one rank computed while another did.
void ShareDevices(const std::vector<RankDevices>& ranks, uint64_t shortest_gap_ns);

}  // namespace syncline
