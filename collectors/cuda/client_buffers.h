// SPDX-License-Identifier: Apache-2.0
// Stands between CUPTI and another client's functions for buffers: counts how many buffers it waits
// for, and sees to it that each buffer goes to whoever gave it, whichever function CUPTI calls.
#pragma once

#include "collectors/cuda/client_state.h"

namespace syncline::cuda {

struct ClientFunctions {
  BufferRequest request;
  BufferComplete complete;
};

// The functions to register in the client's place. Its own where it is the fifth pair: `counted` is
// then false. Any thread, no lock.
ClientFunctions StandInFor(const ClientFunctions& client, ClientState* state, bool* counted);

// A buffer that is not ours came to our function: brings it to the client that registered last.
void BringToClient(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);

}  // namespace syncline::cuda
