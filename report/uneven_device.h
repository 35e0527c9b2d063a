// SPDX-License-Identifier: Apache-2.0
// The GPU that computes more than the other ones of its process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

struct UnevenDevice {
  std::string rank;  // name of its trace
  const DeviceUse* use = nullptr;
  size_t devices = 0;           // of the process
  uint64_t beyond_mean_ns = 0;  // so long it computes beyond the mean of these
};

// Of a process with several devices that compute side by side, the one with most to compute, if
// that is a tenth beyond their mean and more. Of several ranks, each has to have one: the ranks
// wait for each other, and what the least uneven one would win is all that the job would. Devices
// that compute one after the other, and ranks that are cut (FindUnevenRank), have none.
std::optional<UnevenDevice> FindUnevenDevice(const RunFindings& findings);

// Without its gain.
ReportFinding FindingOfDevice(const UnevenDevice& uneven, bool several_ranks);

}  // namespace syncline
