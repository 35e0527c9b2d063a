// SPDX-License-Identifier: Apache-2.0
// How a payload schema or enumeration travels in a kSchema record; docs/spool-format.md.
#pragma once

#include <cstdint>

namespace syncline {

// TextRecord of kSchema: head.id is the schema's id in this stream, key the program's own schema
// id, type a SchemaKind. Its bytes are a SchemaHead, then `entries` SchemaEntry, then the schema's
// name, then the entries' names in order, none terminated. A schema that is named by an entry is
// defined before the schema that names it. TextRecord of kPayload: head.id is the schema's id in
// this stream, or 0 with type kRawPayload; key is the `begin` of its range or mark; its bytes are
// the program's payload, copied.
enum SchemaKind : uint16_t { kStructSchema = 1, kUnionSchema = 2, kEnumSchema = 3 };
enum PayloadKind : uint16_t { kSchemaPayload = 0, kRawPayload = 1 };

struct SchemaHead {
  uint32_t entries;
  uint32_t flags;  // as NVTX: NVTX_PAYLOAD_SCHEMA_FLAG_*
  uint64_t size;   // static size of the payload in bytes, 0: unknown
  uint32_t name_bytes;
  uint32_t reserved;
};

struct SchemaEntry {
  uint64_t type;  // NVTX_PAYLOAD_ENTRY_TYPE_* or a program's schema id (the kSchema record's key);
                  // kEnumSchema: the value
  uint64_t detail;  // arrayOrUnionDetail of NVTX
  // In the payload, bytes; filled in by the collector also where the program left it 0.
  uint64_t offset;
  uint32_t flags;  // NVTX_PAYLOAD_ENTRY_FLAG_*
  uint32_t name_bytes;
};

// Offset of an entry that begins where the one before it ends, aligned by its type; only the
// payload tells where that is.
inline constexpr uint64_t kFollowsPrevious = ~uint64_t{0};

static_assert(sizeof(SchemaHead) == 24 && sizeof(SchemaEntry) == 32);

}  // namespace syncline
