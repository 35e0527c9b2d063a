// SPDX-License-Identifier: Apache-2.0
// CUPTI belongs to us or to another client in the program. The client gets CUPTI when it begins to
// use it; we take CUPTI again when the client is done.
#pragma once

#include <cstdint>

#include "collectors/cuda/client_state.h"

namespace syncline::cuda {

inline constexpr char kHelperName[] = "syncline-cuda";

// Takes CUPTI and starts the helper thread, which from then on takes CUPTI and gives it back. Once
// a process. False: CUPTI was refused, and nobody tries again.
bool AcquireCupti();

// At exit: brings in what CUPTI still holds, until `until_ns`. CUPTI is not taken any more.
void ReleaseCupti(uint64_t until_ns);

// In a fork's child: CUPTI is dead there.
void ForgetCupti();

// The calls of other clients; each keeps errno. Any thread, from before AcquireCupti on.

// Before a call by which a client begins to use CUPTI or goes on: brings in what is finished, for
// at most one second, and leaves CUPTI to the client. `call`: a constant.
void BeforeClient(const char* call);

// After CUPTI accepted a call. If the client is done by this call, waits at most 0.1 s until CUPTI
// is taken again, so that what the program does next is recorded.
void AfterClient(ClientAct act, uint32_t kind = 0);

// CUPTI is the program's from now on, because it has a profiler whose calls are not seen: waits as
// BeforeClient. `name`: a constant.
void LeaveToProfiler(const char* name);

// The functions to register in place of the client's; after CUPTI accepted them Registered.
void StandInForClient(void** request, void** complete);
void ClientRegistered(void* request, void* complete);
void ClientSetClock(void* timestamp);

// Whether CUPTI is ours and the client has nothing in it: what it disables or flushes now would be
// ours.
bool NothingIsTheClients();

}  // namespace syncline::cuda
