// SPDX-License-Identifier: Apache-2.0
// Registering payload schemas: checks, layout by NVTX's alignment rules, serialised form.
#include "collectors/nvtx/schema.h"

#include <atomic>
#include <cstring>

#include "collectors/nvtx/append_table.h"
#include "inject/core/arena.h"
#include "inject/core/thread_log.h"

namespace syncline::nvtx {
namespace {

constexpr uint32_t kSchemaBuckets = 256;
constexpr size_t kMaxEntries = 4096;  // of one schema: more is taken for garbage
constexpr size_t kMaxNameBytes = 4096;
constexpr uint64_t kArrayFlags = 7 << 4;
constexpr uint64_t kOffsetFlags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
                                  NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                                  NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE;

AppendTable<Schema> g_schemas;
std::atomic<uint32_t> g_buckets[kSchemaBuckets];  // 1 + index of the newest schema

std::atomic<uint32_t>& Bucket(uint64_t id) { return g_buckets[(id * 0x9E3779B97F4A7C15ull) >> 56]; }

uint64_t AlignUp(uint64_t offset, uint64_t align) {
  return align > 1 ? (offset + align - 1) / align * align : offset;
}

size_t NameBytes(const char* name) { return name == nullptr ? 0 : strnlen(name, kMaxNameBytes); }

// Appends schemas and enumerations, which differ only in what their entries mean.
class Builder {
 public:
  // Null data: out of memory (counted).
  Builder(size_t entries, size_t name_bytes)
      : bytes_(sizeof(SchemaHead) + entries * sizeof(SchemaEntry) + name_bytes) {
    data_ = static_cast<char*>(ArenaAllocate(bytes_));
    if (data_ == nullptr) {
      CountLoss(kLoss_definition);
      return;
    }
    names_ = data_ + sizeof(SchemaHead) + entries * sizeof(SchemaEntry);
    head()->entries = static_cast<uint32_t>(entries);
  }

  bool valid() const { return data_ != nullptr; }
  SchemaHead* head() { return reinterpret_cast<SchemaHead*>(data_); }
  SchemaEntry* entry(size_t i) {
    return reinterpret_cast<SchemaEntry*>(data_ + sizeof(SchemaHead)) + i;
  }

  // The program may change its names meanwhile: never writes past what was allocated.
  uint32_t AddName(const char* name) {
    const size_t left = static_cast<size_t>(data_ + bytes_ - names_);
    const size_t bytes =
        name == nullptr ? 0 : strnlen(name, left < kMaxNameBytes ? left : kMaxNameBytes);
    if (bytes != 0) std::memcpy(names_, name, bytes);
    names_ += bytes;
    return static_cast<uint32_t>(bytes);
  }

  uint64_t Add(uint64_t id, uint32_t domain, SchemaKind kind, uint16_t align) {
    uint32_t index;
    Schema* schema = g_schemas.Claim(&index);
    if (schema == nullptr) {
      CountLoss(kLoss_definition);
      return 0;
    }
    if (id == 0) id = NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + index;
    *schema = {id,           domain,          index,
               kind,         align,           0,
               head()->size, head()->entries, static_cast<uint32_t>(names_ - data_),
               data_};
    std::atomic<uint32_t>& bucket = Bucket(id);
    uint32_t first = bucket.load(std::memory_order_relaxed);
    schema->next = first;
    g_schemas.Publish(index);
    // Release: pairs with the acquire in FindSchema. A lost race would hide the schema, so it is
    // repeated.
    while (!bucket.compare_exchange_weak(first, index + 1, std::memory_order_release,
                                         std::memory_order_relaxed)) {
      schema->next = first;
    }
    return id;
  }

 private:
  size_t bytes_;
  char* data_ = nullptr;
  char* names_ = nullptr;
};

// Fills in offsets that the program left to the alignment rules; kFollowsPrevious where only a
// payload can tell. Returns the size of a payload, 0 if it differs from payload to payload.
uint64_t LayOut(uint32_t domain, bool is_union, uint64_t pack, SchemaEntry* entries, size_t count,
                uint16_t* align_out) {
  uint64_t end = 0;
  uint64_t size = 0;
  uint32_t widest = 1;
  bool end_known = true;
  bool fixed = true;
  for (size_t i = 0; i < count; ++i) {
    SchemaEntry& entry = entries[i];
    uint32_t align = 0;
    const uint64_t bytes = EntryBytes(domain, entry.type, entry.flags, entry.detail, &align);
    if (pack != 0 && align > pack) align = static_cast<uint32_t>(pack);
    if (align > widest) widest = align;
    if (i != 0 && entry.offset == 0 && !is_union) {
      entry.offset = end_known && align != 0 ? AlignUp(end, align) : kFollowsPrevious;
    }
    end_known = bytes != 0 && entry.offset != kFollowsPrevious;
    fixed = fixed && end_known;
    end = end_known ? entry.offset + bytes : 0;
    if (end > size) size = end;
  }
  *align_out = static_cast<uint16_t>(widest);
  return fixed ? AlignUp(size, widest) : 0;
}

// Types that stand for themselves as schemas are made when they are first used, in the default
// domain.
const Schema* MakePredefined(uint64_t type) {
  const bool is_text =
      type >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && type <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
  const TypeInfo info = PredefinedType(type);
  if (info.size == 0) return nullptr;
  Builder builder(1, 0);
  if (!builder.valid()) return nullptr;
  builder.entry(0)->type = type;
  builder.entry(0)->flags = is_text ? NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED : 0;
  builder.head()->size = is_text ? 0 : info.size;
  if (builder.Add(type, 0, kStructSchema, static_cast<uint16_t>(info.align)) == 0) return nullptr;
  return FindSchema(0, type);
}

}  // namespace

TypeInfo PredefinedType(uint64_t type) {
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_UCHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT8:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT8:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR8:
    case NVTX_PAYLOAD_ENTRY_TYPE_BYTE:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
      return {1, 1};
    case NVTX_PAYLOAD_ENTRY_TYPE_SHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_USHORT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR16:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16:
    case NVTX_PAYLOAD_ENTRY_TYPE_BF16:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16:
      return {2, 2};
    case NVTX_PAYLOAD_ENTRY_TYPE_INT:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TF32:
    case NVTX_PAYLOAD_ENTRY_TYPE_WCHAR:
    case NVTX_PAYLOAD_ENTRY_TYPE_CHAR32:
    case NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY:
    case NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
      return {4, 4};
    case NVTX_PAYLOAD_ENTRY_TYPE_LONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_SIZE:
    case NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS:
    case 67:  // range id, since NVTX 3.3
    case NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID:
    case NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE:
      return {8, 8};
    case NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE:
    case NVTX_PAYLOAD_ENTRY_TYPE_INT128:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT128:
    case NVTX_PAYLOAD_ENTRY_TYPE_FLOAT128:
      return {16, 16};
    default:
      return {0, 0};
  }
}

uint64_t EntryBytes(uint32_t domain, uint64_t type, uint64_t flags, uint64_t detail,
                    uint32_t* align) {
  const bool is_text =
      type >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && type <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
  const uint64_t array = flags & kArrayFlags;
  if ((flags & kOffsetFlags) != 0 || (is_text && array == 0 && detail == 0)) {
    *align = sizeof(void*);
    return sizeof(void*);
  }
  uint64_t bytes = 0;
  *align = 0;
  if (type < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START) {
    const TypeInfo info = PredefinedType(type);
    bytes = info.size;
    *align = info.align;
  } else if (const Schema* nested = FindSchema(domain, type)) {
    bytes = nested->size;
    *align = nested->align;
  }
  if (array == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE || (is_text && array == 0)) {
    return detail < uint64_t{1} << 32 ? bytes * detail : 0;
  }
  return array == 0 ? bytes : 0;
}

uint64_t RegisterSchema(uint32_t domain, const nvtxPayloadSchemaAttr_t* attributes,
                        uint64_t tool_id) {
  constexpr uint64_t kNeeded =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  if (attributes == nullptr || (attributes->fieldMask & kNeeded) != kNeeded ||
      attributes->entries == nullptr || attributes->numEntries == 0 ||
      attributes->numEntries > kMaxEntries) {
    CountLoss(kLoss_bad_payload);
    return 0;
  }
  const auto has = [mask = attributes->fieldMask](uint64_t field) { return (mask & field) != 0; };
  const size_t count = attributes->numEntries;
  const char* name = has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME) ? attributes->name : nullptr;
  const uint64_t type = has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE)
                            ? attributes->type
                            : uint64_t{NVTX_PAYLOAD_SCHEMA_TYPE_STATIC};
  const bool is_union = type == NVTX_PAYLOAD_SCHEMA_TYPE_UNION ||
                        type == NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR;

  size_t name_bytes = NameBytes(name);
  for (size_t i = 0; i < count; ++i) name_bytes += NameBytes(attributes->entries[i].name);
  Builder builder(count, name_bytes);
  if (!builder.valid()) return 0;
  builder.head()->flags =
      has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS) ? static_cast<uint32_t>(attributes->flags) : 0;
  builder.head()->name_bytes = builder.AddName(name);
  for (size_t i = 0; i < count; ++i) {
    const nvtxPayloadSchemaEntry_t& from = attributes->entries[i];
    *builder.entry(i) = {from.type, from.arrayOrUnionDetail, from.offset,
                         static_cast<uint32_t>(from.flags), 0};
    builder.entry(i)->name_bytes = builder.AddName(from.name);
  }
  uint16_t align = 0;
  const uint64_t pack = has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT) ? attributes->packAlign : 0;
  const uint64_t computed = LayOut(domain, is_union, pack, builder.entry(0), count, &align);
  // NCCL states a static size and leaves it 0: then what the entries take counts.
  const bool states_size =
      has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE) && attributes->payloadStaticSize != 0;
  builder.head()->size = type == NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC ? 0
                         : states_size                            ? attributes->payloadStaticSize
                                                                  : computed;
  const uint64_t asked = has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID) ? attributes->schemaId : 0;
  return builder.Add(asked != 0 ? asked : tool_id, domain, is_union ? kUnionSchema : kStructSchema,
                     align);
}

uint64_t RegisterEnum(uint32_t domain, const nvtxPayloadEnumAttr_t* attributes, uint64_t tool_id) {
  constexpr uint64_t kNeeded =
      NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES;
  if (attributes == nullptr || (attributes->fieldMask & kNeeded) != kNeeded ||
      attributes->entries == nullptr || attributes->numEntries == 0 ||
      attributes->numEntries > kMaxEntries) {
    CountLoss(kLoss_bad_payload);
    return 0;
  }
  const auto has = [mask = attributes->fieldMask](uint64_t field) { return (mask & field) != 0; };
  const size_t count = attributes->numEntries;
  const char* name = has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME) ? attributes->name : nullptr;
  size_t name_bytes = NameBytes(name);
  for (size_t i = 0; i < count; ++i) name_bytes += NameBytes(attributes->entries[i].name);
  Builder builder(count, name_bytes);
  if (!builder.valid()) return 0;
  builder.head()->size =
      has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE) ? attributes->sizeOfEnum : sizeof(int);
  builder.head()->name_bytes = builder.AddName(name);
  for (size_t i = 0; i < count; ++i) {
    const nvtxPayloadEnum_t& from = attributes->entries[i];
    *builder.entry(i) = {from.value, 0, 0, from.isFlag != 0, 0};
    builder.entry(i)->name_bytes = builder.AddName(from.name);
  }
  const uint64_t asked = has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID) ? attributes->schemaId : 0;
  return builder.Add(asked != 0 ? asked : tool_id, domain, kEnumSchema,
                     static_cast<uint16_t>(builder.head()->size));
}

const Schema* FindSchema(uint32_t domain, uint64_t id) {
  for (uint32_t at = Bucket(id).load(std::memory_order_acquire); at != 0;) {
    const Schema* schema = g_schemas.At(at - 1);
    if (schema == nullptr) break;
    // Ids below are the program's and unique in a domain; those above are unique in the process.
    const bool dynamic =
        id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START || id < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START;
    if (schema->id == id && (dynamic || schema->domain == domain)) return schema;
    at = schema->next;
  }
  return id < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START ? MakePredefined(id) : nullptr;
}

}  // namespace syncline::nvtx
