// SPDX-License-Identifier: Apache-2.0
// The records of the program's calls, however they are seen: one at each call's end. On the
// program's threads, inside its calls: no lock, no heap, no CUDA.
#pragma once

#include <cstdint>

#include "collectors/cuda/copy_size.h"

namespace syncline::cuda {

struct CallName {
  const char* text;  // constant
  uint16_t bytes;
  bool makes_work;
  bool asks;  // its one parameter is the event or stream whose state is asked for
  SizeWords size;
};

struct GpuCall {
  const CallName* name;
  uint32_t correlation;
  uint16_t callback;
  bool driver;
  const void* queried = nullptr;  // where the call asks: its handle
  bool empty = false;             // nothing is to be copied or set
};

// From now on another watcher sees the calls: of those that are open, the end may not be seen.
// `full`: calls inside calls are recorded too.
void BeginWatching(bool full);

// What is to be given to EndCall.
uint64_t BeginCall(const GpuCall& call);
void EndCall(const GpuCall& call, uint64_t begun, uint32_t result);

// Inside of the call in which this thread is a graph got a node: it is captured, not done.
void NodeMade();

// From now on calls that give a GPU work are marked, or no longer: whether a record of all such
// work is to come.
void MarkWork(bool owed);

// Correlation of the last call that gave the GPU work, on any thread; 0: none yet.
uint32_t LastLaunch();

// From now on no more device records will be fetched: what is launched is counted as lost.
void CountLaunchesAsLost();

}  // namespace syncline::cuda
