// SPDX-License-Identifier: Apache-2.0
// What the measured waits share: the buffers, streams and events that calls work on, and a row: one
// call to measure.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace facts {

inline constexpr size_t kBig = 1 << 20, kSmall = 64 << 10;

// What the calls work on; made once.
struct Things {
  cudaStream_t legacy = nullptr, a, b, non_blocking, non_blocking2;
  char *device, *device2, *pinned, *pinned2, *pageable, *pageable2, *managed;
  cudaEvent_t done, other, never_recorded;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  void* scratch = nullptr;  // what a preparation made for the call
  cudaStream_t scratch_stream = nullptr;
  cudaEvent_t scratch_event = nullptr;

  Things();
};

using Action = void (*)(Things&);

struct Row {
  const char* key;
  cudaStream_t Things::*busy;  // where the kernel runs
  Action call;
  Action before = nullptr;  // prepares, while nothing runs
  Action after = nullptr;   // cleans up, when nothing runs any more
};

// A copy: cudaMemcpy where `in` is null, else cudaMemcpyAsync in that stream.
struct CopyRow {
  const char* key;
  char *Things::*to, *Things::*from;
  size_t bytes;
  cudaStream_t Things::*busy;
  cudaStream_t Things::*in = nullptr;
};

extern const std::vector<Row> kExplicitRows;    // waits_explicit.cc
extern const std::vector<CopyRow> kCopyRows;    // waits_copies.cc
extern const std::vector<Row> kOtherCopyRows;   // waits_copies.cc: symbols, 2D, memset
extern const std::vector<Row> kAllocationRows;  // waits_allocation.cc

}  // namespace facts
