// SPDX-License-Identifier: Apache-2.0
// Which stream a function of the host is put into: CUPTI has no record of such a function.
#pragma once

#include <cstdint>

#include "collectors/cuda/cupti_library.h"

namespace syncline::cuda {

// What a call means by the stream 0.
enum class NullStream : uint8_t { kLegacy, kPerThread };
NullStream NullStreamOf(const char* callback_name);  // "cudaLaunchHostFunc_ptsz_v10000"

// Before the first callback is enabled. Does nothing where this CUPTI does not number streams.
void WatchHostFunctions(const Cupti& cupti);

// On the program's thread, inside its call, whose first parameter is the stream.
void RecordHostFunction(const CUpti_CallbackData& call, NullStream null_stream);

}  // namespace syncline::cuda
