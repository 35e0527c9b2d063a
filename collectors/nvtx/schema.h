// SPDX-License-Identifier: Apache-2.0
// Payload schemas and enumerations that the program registered, with all offsets filled in, ready
// to be recorded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/nvtx_headers.h"
#include "inject/core/payload_schema.h"

namespace syncline::nvtx {

struct Schema {
  uint64_t id;      // the program's
  uint32_t domain;  // number of the domain it was registered in
  uint32_t index;   // in the registry; index + 1 is its id in every stream
  uint16_t kind;    // SchemaKind
  uint16_t align;   // natural alignment, 0: unknown
  uint32_t next;    // 1 + index of the next schema of the same bucket
  uint64_t size;    // of a payload; 0: depends on the payload
  uint32_t entry_count;
  uint32_t bytes;    // of `data`
  const char* data;  // SchemaHead, SchemaEntry[], names: as payload_schema.h says

  const SchemaEntry* entries() const {
    return reinterpret_cast<const SchemaEntry*>(data + sizeof(SchemaHead));
  }
};

// Size and alignment of a predefined type of an entry; size 0: not of fixed size or unknown.
struct TypeInfo {
  uint32_t size;
  uint32_t align;
};
TypeInfo PredefinedType(uint64_t type);

// The id by which the program will name it: the one it asked for, else `tool_id` (what a user's
// tool answered), else a new one. 0: the description is not valid (counted) or there is no memory
// (counted). Any thread.
uint64_t RegisterSchema(uint32_t domain, const nvtxPayloadSchemaAttr_t* attributes,
                        uint64_t tool_id);
uint64_t RegisterEnum(uint32_t domain, const nvtxPayloadEnumAttr_t* attributes, uint64_t tool_id);

// The newest schema of that id in the domain; a predefined type is a schema of one entry. Null:
// unknown.
const Schema* FindSchema(uint32_t domain, uint64_t id);

// Bytes that `entry` itself takes in a payload; 0: depends on the payload, or unknown.
uint64_t EntryBytes(uint32_t domain, uint64_t type, uint64_t flags, uint64_t detail,
                    uint32_t* align);

}  // namespace syncline::nvtx
