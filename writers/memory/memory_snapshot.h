// SPDX-License-Identifier: Apache-2.0
// A memory snapshot of PyTorch's, as `torch.cuda.memory._dump_snapshot()` writes it and its viewers
// read it (torch/cuda/_memory_viz.py, torch/utils/viz/MemoryViz.js).
#pragma once

#include "base/status.h"
#include "writers/files/byte_sink.h"
#include "writers/memory/memory_history.h"

namespace syncline {

// Of the process's end. `device_traces` has each block that was taken and given back; blocks lie in
// `segments`: what the allocator got of its driver when it took the block that stands first in
// them. A segment that it gave back is one that was empty then: the history says how many bytes
// went back, not which. One thread; memory as much as the history's events.
Status WriteMemorySnapshot(const MemoryHistory& history, ByteSink* out);

}  // namespace syncline
