// SPDX-License-Identifier: Apache-2.0
// The collector's door: called inside cuInit, when the driver loads us as CUDA_INJECTION64_PATH.
#pragma once

namespace syncline::cuda {

// Finds CUPTI, subscribes, and asks for records. Once a process; what cannot be had is said in the
// log and left out. Makes no CUDA call. Never fails the caller.
void Arm();

// Another client begins to use CUPTI, by the call of this name: brings in what is finished, at most
// one second, and leaves CUPTI to it from now on. Any thread.
void GiveWay(const char* call);

// At exit: brings in what CUPTI still holds, at most one second.
void Flush();

// In a fork's child: CUDA and CUPTI are dead there until it executes another program.
void Forget();

}  // namespace syncline::cuda
