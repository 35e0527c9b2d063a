// SPDX-License-Identifier: Apache-2.0
// How the collector begins, inside cuInit (cuda_door.cc).
#pragma once

namespace syncline::cuda {

// Finds CUPTI, subscribes, and asks for records. Once a process; what cannot be had is said in the
// log and left out. Makes no CUDA call. Never fails the caller.
void Arm();

// Where the program has loaded a profiler that finds CUPTI's functions by itself, CUPTI is left to
// it. Calls the loader; may wait for a second.
void GiveWayToProfiler();

}  // namespace syncline::cuda
