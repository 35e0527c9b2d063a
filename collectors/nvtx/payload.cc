// SPDX-License-Identifier: Apache-2.0
// Copying extended payloads and finding event attributes in them.
#include "collectors/nvtx/payload.h"

#include <cstring>

#include "collectors/nvtx/registry.h"
#include "collectors/nvtx/schema.h"
#include "collectors/nvtx/text.h"

namespace syncline::nvtx {
namespace {

constexpr size_t kMaxPayloads = 64;
constexpr size_t kMaxPayloadBytes = 1 << 20;  // a record holds 2 MiB at most
constexpr int kMaxNesting = 8;                // schemas may name each other in a circle
constexpr uint64_t kMessageMask = 3 << 10;
constexpr uint64_t kArrayMask = 7 << 4;

// Schemas of a handle that is not ours were registered in the default domain as well.
uint32_t SchemaDomain(const void* handle) {
  const uint32_t number = DomainNumber(handle);
  return number == kNoIndex ? 0 : number;
}

// Makes sure that the stream has the schema and those that it names. The thread's name cache
// remembers which it has.
bool DefineSchema(ThreadLog& log, uint16_t domain, const Schema& schema, int nesting) {
  NameCacheEntry& entry = CacheEntry(log, NameSlot(log, &schema), &schema);
  if (entry.key == &schema && entry.bytes == kHandleName) return true;
  if (schema.kind != kEnumSchema && nesting < kMaxNesting) {
    for (uint32_t i = 0; i < schema.entry_count; ++i) {
      const uint64_t type = schema.entries()[i].type;
      if (type < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START) continue;
      const Schema* nested = FindSchema(schema.domain, type);
      if (nested != nullptr && nested != &schema) DefineSchema(log, domain, *nested, nesting + 1);
    }
  }
  if (!EmitText(log, RecordKind::kSchema, schema.index + 1, schema.id, domain, schema.kind,
                schema.data, schema.bytes)) {
    CountLoss(kLoss_definition);
    return false;
  }
  entry.key = &schema;
  entry.id = schema.index + 1;
  entry.bytes = kHandleName;
  return true;
}

size_t TextPayloadBytes(uint64_t type, const void* payload) {
  const auto* text = static_cast<const char*>(payload);
  const size_t unit = PredefinedType(type).size;
  for (size_t i = 0; i < kMaxPayloadBytes; i += unit) {
    uint32_t character = 0;
    std::memcpy(&character, text + i, unit);
    if (character == 0) return i + unit;
  }
  return SIZE_MAX;
}

// The payload's size where the program left it to us; SIZE_MAX: cannot be known.
size_t PayloadBytes(const nvtxPayloadData_t& data, const Schema* schema) {
  if (data.size != SIZE_MAX) return data.size;
  if (data.payload == nullptr) return SIZE_MAX;
  if (data.schemaId >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING &&
      data.schemaId <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32) {
    return TextPayloadBytes(data.schemaId, data.payload);
  }
  return schema != nullptr && schema->size != 0 ? schema->size : SIZE_MAX;
}

bool IsBlob(uint64_t schema_id) {
  return schema_id == NVTX_TYPE_PAYLOAD_SCHEMA_RAW ||
         schema_id == NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED;
}

bool EmitPayload(ThreadLog& log, uint32_t schema_domain, uint16_t domain, uint64_t key,
                 const nvtxPayloadData_t& data) {
  const Schema* schema = IsBlob(data.schemaId) ? nullptr : FindSchema(schema_domain, data.schemaId);
  const size_t bytes = PayloadBytes(data, schema);
  if (bytes > kMaxPayloadBytes || (data.payload == nullptr && bytes != 0)) {
    CountLoss(kLoss_bad_payload);
    return false;
  }
  if (bytes == 0) return false;
  if (!IsBlob(data.schemaId) && (schema == nullptr || bytes < schema->size)) {
    CountLoss(kLoss_bad_payload);
    schema = nullptr;
  }
  if (schema != nullptr && !DefineSchema(log, domain, *schema, 0)) schema = nullptr;
  if (!EmitText(log, RecordKind::kPayload, schema != nullptr ? schema->index + 1 : 0, key, domain,
                schema != nullptr ? kSchemaPayload : kRawPayload, data.payload, bytes)) {
    CountLoss(kLoss_ring_full);
    return false;
  }
  return true;
}

// A text that lies at `at` inside a payload of `left` bytes from there, or that a pointer there
// leads to.
Name TextEntryName(ThreadLog& log, const SchemaEntry& entry, const char* at, size_t left,
                   uint16_t domain) {
  const uint64_t array = entry.flags & kArrayMask;
  const bool is_pointer =
      (entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER) != 0 || (array == 0 && entry.detail == 0);
  if (is_pointer) {
    if (left < sizeof(void*)) return {0, false};
    std::memcpy(&at, at, sizeof(void*));
    if (at == nullptr) return {0, false};
    left = SIZE_MAX;
  } else if (array != NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED) {
    const uint64_t unit = PredefinedType(entry.type).size;
    if (entry.detail < left / unit) left = static_cast<size_t>(entry.detail * unit);
  }
  if (entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32) {
    const Utf8 text(reinterpret_cast<const char32_t*>(at), left / sizeof(char32_t));
    return text.valid() ? ConvertedName(log, at, text, domain) : Name{0, true};
  }
  if (left == SIZE_MAX) return AsciiName(log, at, domain);
  const Utf8 text(at, left);
  return text.valid() ? ConvertedName(log, at, text, domain) : Name{0, true};
}

Name MessageEntryName(ThreadLog& log, const SchemaEntry& entry, const char* at, size_t left,
                      uint16_t domain) {
  switch (entry.type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE: {
      nvtxMessageValue_t message;
      if (left < sizeof(message.registered)) return {0, false};
      std::memcpy(&message.registered, at, sizeof(message.registered));
      return NameOf(log, NVTX_MESSAGE_TYPE_REGISTERED, message, domain);
    }
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
      return TextEntryName(log, entry, at, left, domain);
    default:  // UTF-16 and texts whose length another entry holds stay in the payload
      return {0, false};
  }
}

void ReadEntry(ThreadLog& log, const SchemaEntry& entry, const char* at, size_t left,
               uint16_t domain, Name* name, Extras* extras) {
  if ((entry.flags & kMessageMask) == NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) {
    *name = MessageEntryName(log, entry, at, left, domain);
  } else if (entry.flags == 0 && left >= sizeof(uint32_t) &&
             entry.type == NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY) {
    std::memcpy(&extras->attributes.category, at, sizeof(uint32_t));
    if (extras->attributes.category != 0) DefineCategories(log);
    extras->flags = kHasAttributes;
  } else if (entry.flags == 0 && left >= sizeof(uint32_t) &&
             entry.type == NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB) {
    std::memcpy(&extras->attributes.color, at, sizeof(uint32_t));
    extras->attributes.has_color = 1;
    extras->flags = kHasAttributes;
  }
}

}  // namespace

bool ArePayloadsUsable(const nvtxPayloadData_t* payloads, size_t count) {
  if (payloads != nullptr && count != 0 && count <= kMaxPayloads) return true;
  CountLoss(kLoss_bad_payload);
  return false;
}

bool EmitPayloads(ThreadLog& log, const void* domain_handle, uint16_t domain, uint64_t key,
                  const nvtxPayloadData_t* payloads, size_t count) {
  const uint32_t schema_domain = SchemaDomain(domain_handle);
  bool any = false;
  for (size_t i = 0; i < count; ++i)
    any = EmitPayload(log, schema_domain, domain, key, payloads[i]) || any;
  return any;
}

void ReadEventAttributes(ThreadLog& log, const void* domain_handle, uint16_t domain,
                         const nvtxPayloadData_t* payloads, size_t count, Name* name,
                         Extras* extras) {
  const uint32_t schema_domain = SchemaDomain(domain_handle);
  for (size_t i = 0; i < count; ++i) {
    const nvtxPayloadData_t& data = payloads[i];
    if (data.payload == nullptr || IsBlob(data.schemaId)) continue;
    const Schema* schema = FindSchema(schema_domain, data.schemaId);
    if (schema == nullptr || schema->kind != kStructSchema) continue;
    const size_t bytes = PayloadBytes(data, schema);
    if (bytes > kMaxPayloadBytes) continue;
    const auto* base = static_cast<const char*>(data.payload);
    for (uint32_t j = 0; j < schema->entry_count; ++j) {
      const SchemaEntry& entry = schema->entries()[j];
      if (entry.offset < bytes)
        ReadEntry(log, entry, base + entry.offset, bytes - entry.offset, domain, name, extras);
    }
  }
}

}  // namespace syncline::nvtx
