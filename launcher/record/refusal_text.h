// SPDX-License-Identifier: Apache-2.0
// What is said of processes and connections that the launcher did not take.
#pragma once

#include <string>
#include <vector>

#include "launcher/record/hand_over_server.h"

namespace syncline {

// Sentences, of each kind one.
std::vector<std::string> RefusalTexts(const RefusedPeers& refused);

}  // namespace syncline
