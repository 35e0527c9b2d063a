// SPDX-License-Identifier: Apache-2.0
// How much memory may still be taken here.
#pragma once

#include <cstdint>

namespace syncline {

// Bytes that this machine, and this process's control group (version 2), have free; 1 GiB if
// neither tells.
uint64_t MemoryRoom();

}  // namespace syncline
