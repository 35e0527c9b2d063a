// SPDX-License-Identifier: Apache-2.0
// The user's own NVTX tool, called behind ours: what it installed, and its handles for our objects.
#pragma once

#include <cstdint>

#include "collectors/nvtx/hooks.h"

namespace syncline::nvtx {

// Only one function fits into a program's slot. With a user's tool set, the tool is attached first;
// what it put into the slots is remembered here, by place, and called by our chained hooks after
// ours. Programs get our handles; the tool gets its own, which we keep with ours. Registered
// strings inside of extended payloads are not translated for it.

// Remembers what the tool put there; null is ignored. The same tool puts the same function into
// every table. `extension` tells to which of the two tables of hooks.h module and id belong.
void SetNext(bool extension, uint32_t module, uint32_t id, NvtxFunctionPointer function);
bool HasNext(bool extension, uint32_t module, uint32_t id);

}  // namespace syncline::nvtx
