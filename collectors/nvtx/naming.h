// SPDX-License-Identifier: Apache-2.0
// Records of named resources.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::nvtx {

// Type of a user's synchronisation object in kResource records: NVTX has types for all resources
// but this one.
inline constexpr uint32_t kSyncUserResource = 0x7fff0001;

// Records that `key`, an object of NVTX's resource type `type`, has this name; a thread gets a
// kThreadName as well.
void NameResource(const void* domain_handle, uint32_t type, uint64_t key, const char* name,
                  size_t bytes);

}  // namespace syncline::nvtx
