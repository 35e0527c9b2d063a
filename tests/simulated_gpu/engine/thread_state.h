// SPDX-License-Identifier: Apache-2.0
// What the simulated libraries keep of one thread, and of one API call in progress. Plain data: it
// outlives every destructor.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/simulated_gpu/engine/observer.h"

namespace simgpu {

class Collective;
class Dependencies;

struct ApiFrame {
  ApiFrame* outer;
  const char* function;
  const char* symbol;
  uint32_t cbid;
  uint32_t correlation;
  Domain domain;
  bool told;     // `call` is filled in and api_enter was called
  ApiCall call;  // only where told
};

// A run of unsuccessful queries of one stream or event.
struct QuerySpin {
  const void* object;
  const char* function;
  uint64_t start_ns;
  uint64_t last_ns;
  uint32_t count;      // of answers "not ready"
  Dependencies* what;  // for which the last of them was given; owned, null before the first
};

inline constexpr int kMostContextsPushed = 32;

struct ThreadState {
  ApiFrame* top;
  uint32_t tid;
  uint32_t hidden;        // simgpu_hide_calls
  bool in_host_function;  // CUDA calls from there are refused
  int capture_mode;       // CUstreamCaptureMode
  uint64_t planned_ns;    // how long the next kernel it launches takes; 0: the grid decides
  const std::shared_ptr<Collective>* collective;  // what its next kernel is, or null
  int depth;                                      // of contexts
  void* contexts[kMostContextsPushed];
  QuerySpin spin;
};

}  // namespace simgpu
