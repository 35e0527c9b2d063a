// SPDX-License-Identifier: Apache-2.0
// The thread's name cache remembers which schemas its stream has.
#include "inject/core/arguments.h"

#include <cstring>

#include "inject/core/emit.h"
#include "inject/core/payload_schema.h"

namespace syncline {
namespace {

constexpr size_t kMaxNames = 512;  // bytes of a schema's names, in all

// Numbers of two sources are apart, and above those that NVTX gives to a program's schemas.
uint32_t IdOf(const ArgumentSchema& schema) {
  return uint32_t{schema.source} << 24 | (schema.number & 0xffff);
}

// A SchemaHead, its entries, its names. 0: too large.
size_t Serialise(const ArgumentSchema& schema, char* out, size_t room) {
  const size_t name_bytes = std::strlen(schema.name);
  SchemaHead head{};
  head.entries = schema.field_count;
  head.size = schema.bytes;
  head.name_bytes = static_cast<uint32_t>(name_bytes);
  size_t names = sizeof(head) + schema.field_count * sizeof(SchemaEntry);
  if (names + name_bytes > room) return 0;
  std::memcpy(out, &head, sizeof(head));
  std::memcpy(out + names, schema.name, name_bytes);
  names += name_bytes;
  for (uint32_t i = 0; i < schema.field_count; ++i) {
    const ArgumentField& field = schema.fields[i];
    const size_t bytes = std::strlen(field.name);
    if (names + bytes > room) return 0;
    SchemaEntry entry{};
    entry.type = static_cast<uint64_t>(field.type);
    entry.offset = field.offset;
    entry.name_bytes = static_cast<uint32_t>(bytes);
    std::memcpy(out + sizeof(head) + i * sizeof(entry), &entry, sizeof(entry));
    std::memcpy(out + names, field.name, bytes);
    names += bytes;
  }
  return names;
}

bool Define(ThreadLog& log, const ArgumentSchema& schema) {
  NameCacheEntry& entry = NameSlot(log, &schema);
  if (entry.key == &schema && entry.bytes == kHandleName) return true;
  char bytes[sizeof(SchemaHead) + kMaxArgumentFields * sizeof(SchemaEntry) + kMaxNames];
  const size_t size =
      schema.field_count > kMaxArgumentFields ? 0 : Serialise(schema, bytes, sizeof(bytes));
  if (size == 0 || !EmitText(log, RecordKind::kSchema, IdOf(schema), IdOf(schema), 0, kStructSchema,
                             bytes, size)) {
    CountLoss(kLoss_definition);
    return false;
  }
  entry.key = &schema;
  entry.id = IdOf(schema);
  entry.bytes = kHandleName;
  return true;
}

}  // namespace

bool EmitArguments(ThreadLog& log, const ArgumentSchema& schema, uint64_t begin,
                   const void* arguments) {
  if (!Define(log, schema)) return false;
  if (EmitText(log, RecordKind::kPayload, IdOf(schema), begin, 0, kSchemaPayload, arguments,
               schema.bytes)) {
    return true;
  }
  CountLoss(kLoss_ring_full);
  return false;
}

}  // namespace syncline
