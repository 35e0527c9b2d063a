// SPDX-License-Identifier: Apache-2.0
// Both are laid out on the stack. What has no key, or an unknown kind, is left out.
#include "collectors/program/labels.h"

#include <cstring>

#include "inject/core/defined_contents.h"
#include "inject/core/emit.h"
#include "inject/core/payload_schema.h"

namespace syncline::program {
namespace {

// As payloads have them (docs/spool-format.md).
constexpr uint64_t kInteger = 17, kReal = 20, kText = 76;
constexpr uint32_t kEndsWithZero = 2 << 4;
// Ids of other schemas of the stream count from 1.
constexpr uint32_t kFirstId = uint32_t{1} << 31;
constexpr uint64_t kOwnKeys = uint64_t{SYNCLINE_SOURCE_program} << 32;

size_t LengthOf(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

struct Schema {
  SchemaHead head = {};
  char bytes[kMostLabels * (sizeof(SchemaEntry) + kLongestKey)];

  // The entries' names stand behind all entries.
  size_t Lay(const syncline_label* const* labels, uint32_t count);
};

uint64_t TypeOf(const syncline_label& label) {
  if (label.kind == SYNCLINE_LABEL_INTEGER) return kInteger;
  return label.kind == SYNCLINE_LABEL_REAL ? kReal : kText;
}

size_t Schema::Lay(const syncline_label* const* labels, uint32_t count) {
  head.entries = count;
  size_t at = count * sizeof(SchemaEntry);
  for (uint32_t i = 0; i < count; ++i) {
    SchemaEntry entry = {};
    entry.type = TypeOf(*labels[i]);
    entry.offset = kFollowsPrevious;
    entry.flags = entry.type == kText ? kEndsWithZero : 0;
    entry.name_bytes = static_cast<uint32_t>(LengthOf(labels[i]->key, kLongestKey));
    std::memcpy(bytes + i * sizeof(SchemaEntry), &entry, sizeof(entry));
    std::memcpy(bytes + at, labels[i]->key, entry.name_bytes);
    at += entry.name_bytes;
  }
  return sizeof(head) + at;
}

struct Values {
  char bytes[kMostLabels * (kLongestText + 1 + sizeof(int64_t))];

  size_t Lay(const syncline_label* const* labels, uint32_t count);
};

size_t Values::Lay(const syncline_label* const* labels, uint32_t count) {
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const syncline_label& label = *labels[i];
    if (TypeOf(label) == kText) {
      const size_t length = LengthOf(label.value.text, kLongestText);
      std::memcpy(bytes + at, label.value.text, length);
      bytes[at + length] = '\0';
      at += length + 1;
      continue;
    }
    for (; at % sizeof(int64_t) != 0; ++at) bytes[at] = 0;
    std::memcpy(bytes + at, &label.value, sizeof(int64_t));
    at += sizeof(int64_t);
  }
  return at;
}

uint64_t HashOf(const Schema& schema, size_t size) {
  uint64_t words[sizeof(Schema) / sizeof(uint64_t) + 1] = {};
  std::memcpy(words, &schema, size);
  return HashOfWords(words, (size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

// 0: it could not be recorded (counted).
uint32_t IdOfSchema(ThreadLog& log, uint16_t domain, const Schema& schema, size_t size) {
  const uint64_t hash = HashOf(schema, size) ^ domain;
  for (uint32_t way = 0; way < 2; ++way) {
    const DefinedContent& known = ContentWay(log, hash, way);
    if (known.hash == hash && known.id >= kFirstId) return known.id;
  }
  const uint32_t id = kFirstId | (log.next_name + 1);
  if (!EmitText(log, RecordKind::kSchema, id, kOwnKeys + id, domain, kStructSchema, &schema,
                size)) {
    CountLoss(kLoss_definition);
    return 0;
  }
  ++log.next_name;
  const uint32_t way = ContentWay(log, hash, 0).id == 0 ? 0 : id % 2;
  ++log.content_count;
  ContentWay(log, hash, way) = {hash, id, 0};
  return id;
}

bool IsUsable(const syncline_label& label) {
  if (label.key == nullptr || label.kind < SYNCLINE_LABEL_TEXT || label.kind > SYNCLINE_LABEL_REAL)
    return false;
  return label.kind != SYNCLINE_LABEL_TEXT || label.value.text != nullptr;
}

}  // namespace

bool EmitLabels(ThreadLog& log, uint16_t domain, uint64_t key, const syncline_label* labels,
                size_t count) {
  const syncline_label* used[kMostLabels];
  uint32_t usable = 0;
  for (size_t i = 0; labels != nullptr && i < count && usable < kMostLabels; ++i) {
    if (IsUsable(labels[i])) used[usable++] = &labels[i];
  }
  if (usable == 0) return false;
  Schema schema;
  const size_t size = schema.Lay(used, usable);
  const uint32_t id = IdOfSchema(log, domain, schema, size);
  if (id == 0) return false;
  Values values;
  const size_t bytes = values.Lay(used, usable);
  if (EmitText(log, RecordKind::kPayload, id, key, domain, kSchemaPayload, values.bytes, bytes))
    return true;
  CountLoss(kLoss_ring_full);
  return false;
}

}  // namespace syncline::program
