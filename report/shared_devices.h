// SPDX-License-Identifier: Apache-2.0
// Devices that several ranks compute on: often a forgotten choice of the device.
#pragma once

#include <cstddef>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

struct SharedDevice {
  const DeviceUse* use;  // of the first of its ranks
  std::vector<int> ranks;
};

struct SharedDevices {
  std::vector<SharedDevice> shared;  // those of most ranks first
  std::vector<int> ranks;            // that share one of them
  size_t idle = 0;                   // of the same machines: that these ranks saw, and on which no
                                     // rank computes
};

// Ranks share a device where each has there a tenth of its work and more, at the same time.
SharedDevices FindSharedDevices(const RunFindings& findings);

// How many ranks share a device, on an average: 1 where none is shared.
double RanksOfEachDevice(const RunFindings& findings);

}  // namespace syncline
