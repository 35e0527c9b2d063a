// SPDX-License-Identifier: Apache-2.0
// All that is asked of CUPTI to record, and all that leaves it as it was.
#pragma once

#include "collectors/cuda/client_buffers.h"

namespace syncline::cuda {

// The words of the option cuda.api, in their order.
enum Calls { kShortList, kFullList, kNoCalls };

// What another client registered; null where it registered nothing. Set aside while we record.
struct ClientSettings {
  ClientFunctions buffers;
  Timestamp timestamp;
};

// Finds CUPTI, subscribes and asks for records. False: it was refused, all is as before, and WhyNot
// tells why. Again only after GiveBack. One thread at a time, as all below.
bool TakeCupti(const ClientSettings& others);

// A sentence. What can be recorded in spite of it is not affected.
const char* WhyNot();

// No more records from now on: brings in those there are and puts the client's settings back.
// `flush` false: without bringing in, because CUPTI's flush may hang and nobody can wait for it.
void GiveBack(const ClientSettings& others, bool flush);

// Brings in what is finished, whoever gave the buffers. Nothing before the first TakeCupti.
void FlushSome();

// At the end: brings in what can be had, also of buffers with unfinished operations. Never waits
// for the device.
void FlushFinally();

// At the end, where CUPTI was ours: says in the log which libraries of the program have asked for
// cuptiSubscribe by themselves. CUPTI refuses them while it is ours.
void TellRefusedClients(uint64_t until_ns);

// Says in the log that something will not be recorded.
void TellMissing(const char* what, const char* why);

}  // namespace syncline::cuda
