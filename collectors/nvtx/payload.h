// SPDX-License-Identifier: Apache-2.0
// Extended payloads: copied into the stream behind their schemas, and read where they carry an
// event's attributes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/event.h"

namespace syncline::nvtx {

// Records payloads of the range or mark whose begin is `key`, to be called before that record is
// written. Schemas that this stream has not seen are recorded first. A payload that is not of its
// schema is recorded raw and counted; one that cannot be read at all is only counted. Returns
// whether anything was recorded. May move the stack of open ranges.
bool EmitPayloads(ThreadLog& log, const void* domain_handle, uint16_t domain, uint64_t key,
                  const nvtxPayloadData_t* payloads, size_t count);

// Name, colour and category that the program passes inside payloads. Sets only what is there.
void ReadEventAttributes(ThreadLog& log, const void* domain_handle, uint16_t domain,
                         const nvtxPayloadData_t* payloads, size_t count, Name* name,
                         Extras* extras);

// False and counted: null, empty or absurd.
bool ArePayloadsUsable(const nvtxPayloadData_t* payloads, size_t count);

}  // namespace syncline::nvtx
