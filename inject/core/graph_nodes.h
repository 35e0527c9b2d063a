// SPDX-License-Identifier: Apache-2.0
// What a thread was doing when it made a node of a graph: its replays are of no thread.
#pragma once

#include <cstdint>

#include "inject/core/source.h"

namespace syncline {

// By a call of the source that this thread is inside of. Also while the gate is closed: what is
// captured then may be replayed when it is open. Outside of all hooks; keeps errno.
void RecordGraphNode(Source source, uint64_t node);

// `node` is a copy of `original`, and does what that one does.
void RecordClonedNode(Source source, uint64_t node, uint64_t original);

}  // namespace syncline
