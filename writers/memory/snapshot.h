// SPDX-License-Identifier: Apache-2.0
// An allocator's history as torch.cuda.memory._snapshot() has it.
#pragma once

#include "base/status.h"
#include "writers/files/byte_sink.h"
#include "writers/memory/allocator_history.h"

namespace syncline {

// A pickle. What an allocator does not tell is as if all were on one stream and in one pool; a
// block in no segment that the driver was seen to give is a segment by itself.
Status WriteSnapshot(const AllocatorHistory& history, ByteSink* out);

}  // namespace syncline
