// SPDX-License-Identifier: Apache-2.0
// What a replayed kernel says of its capture.
#pragma once

#include "model/devices/captured_nodes.h"
#include "writers/chrome/event_line.h"

namespace syncline {

void AppendCaptured(const CapturedNodes::Node& node, EventLine* line);

}  // namespace syncline
