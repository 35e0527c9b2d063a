// SPDX-License-Identifier: Apache-2.0
// The buffers that CUPTI fills with activity records: a fixed set of pieces of address space, used
// again and again.
#pragma once

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// Takes their address space. False: there is none. Once a process, before CUPTI asks for one.
bool PrepareBuffers(const Cupti& cupti);

// Whether CUPTI got it from us, not from another client. Any thread.
bool IsOurBuffer(const uint8_t* buffer);

// For cuptiActivityRegisterCallbacks. CUPTI asks on the program's threads, and brings full buffers
// on a thread of its own (or on the one that flushes).
void CUPTIAPI OnBufferRequested(uint8_t** buffer, size_t* bytes, size_t* max_records);
void CUPTIAPI OnBufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                size_t valid);

}  // namespace syncline::cuda
