// SPDX-License-Identifier: Apache-2.0
// Typed arguments of calls and operations: a struct whose fields are told once a stream, by the
// mechanism of NVTX's payload schemas (payload_schema.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/source.h"
#include "inject/core/thread_log.h"

namespace syncline {

// Types of fields, with NVTX's numbers (nvToolsExtPayload.h, NVTX_PAYLOAD_ENTRY_TYPE_*).
enum class ArgumentType : uint64_t {
  kInt32 = 15,
  kUint32 = 16,
  kInt64 = 17,
  kUint64 = 18,
  kFloat = 19,
  kDouble = 20,
  kAddress = 23,
};

struct ArgumentField {
  const char* name;
  ArgumentType type;
  uint32_t offset;  // in the struct, bytes
};

// Constant; its address stands for it.
struct ArgumentSchema {
  Source source;
  uint32_t number;  // among the source's, from 1, below 2^16
  const char* name;
  uint32_t bytes;  // of the struct
  const ArgumentField* fields;
  uint32_t field_count;  // at most kMaxArgumentFields
};
inline constexpr uint32_t kMaxArgumentFields = 16;

// Writes `bytes` of arguments, to be called before the record whose begin is `begin`, which then
// says that it has some (kCallHasPayload, kOpHasArguments). False: nothing was written (counted as
// a definition or as ring_full). Within a HookScope; no heap, no lock; about 100 ns.
bool EmitArguments(ThreadLog& log, const ArgumentSchema& schema, uint64_t begin,
                   const void* arguments);

}  // namespace syncline
