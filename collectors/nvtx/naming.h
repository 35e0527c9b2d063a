// SPDX-License-Identifier: Apache-2.0
// Records of named resources.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/emit.h"

namespace syncline::nvtx {

// Type of a user's synchronisation object in kResource records: NVTX has types for all resources
// but this one.
inline constexpr uint32_t kSyncUserResource = 0x7fff0001;

// Records that `key`, an object of NVTX's resource type `type`, has this name; a thread gets a
// kThreadName as well.
void NameResource(const void* domain_handle, uint32_t type, uint64_t key, const char* name,
                  size_t bytes);

// Records a thread's name. `thread`: the kernel's number; what no thread of Linux can have as one
// (pthread_self() cut to 32 bits) is counted as a call that was not valid.
void NameThread(ThreadLog& log, uint64_t thread, const char* name, size_t bytes);

}  // namespace syncline::nvtx
