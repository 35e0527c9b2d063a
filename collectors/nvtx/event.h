// SPDX-License-Identifier: Apache-2.0
// From the arguments of an NVTX call to records: names, attributes, pushes, pops, marks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/domains.h"
#include "collectors/nvtx/nvtx_headers.h"
#include "inject/core/emit.h"
#include "inject/core/range_names.h"

namespace syncline::nvtx {

// All of this needs a HookScope around it.

struct Name {
  uint32_t id;        // 0: none
  bool lost;          // there is a name, but it could not be recorded (counted)
  uint8_t marks = 0;  // RangeMark, of a range of this name in the domain that was asked about
};

// Where the thread's cache keeps the name of a registered string: handles are numbered, so their
// own low bits spread them.
inline NameCacheEntry& HandleSlot(ThreadLog& log, const void* handle) {
  static_assert(kNameCacheEntries == 256);
  return log.names[reinterpret_cast<uintptr_t>(handle) & 255];
}

// The entry for `key`, whose own place is `first`: that or its neighbour, so that two hot names
// which share a place do not drive each other out. The hot path looks at the first alone.
NameCacheEntry& CacheEntry(ThreadLog& log, NameCacheEntry& first, const void* key);

// The name that the program keeps at `text`; it may overwrite it afterwards.
Name AsciiName(ThreadLog& log, const char* text, uint16_t domain);

// The name of a message. A type or a handle that is not valid counts as bad_attributes.
Name NameOf(ThreadLog& log, int32_t type, nvtxMessageValue_t message, uint16_t domain);

// The name of a range in `domain`, whose place in the cache is `entry`.
uint8_t MarksOf(const ThreadLog& log, NameCacheEntry& entry, std::string_view text,
                uint16_t domain);
inline Name Marked(ThreadLog& log, NameCacheEntry& entry, uint32_t id, std::string_view text,
                   uint16_t domain) {
  const bool marked = __builtin_expect(entry.marks != 0, 0);
  return {id, id == 0, marked ? MarksOf(log, entry, text, domain) : uint8_t{0}};
}

// Whether the structure can be believed: not null, a version that had attributes, all fields that
// we read.
inline bool IsUsable(const nvtxEventAttributes_t* attributes) {
  return attributes != nullptr && attributes->version != 0 &&
         attributes->size >= sizeof(nvtxEventAttributes_t);
}

// Whether there is more than a name.
inline bool HasExtras(const nvtxEventAttributes_t& attributes) {
  return (attributes.category | static_cast<uint32_t>(attributes.colorType) |
          static_cast<uint32_t>(attributes.payloadType)) != 0;
}

// What an event carries besides its name.
struct Extras {
  RangeAttributes attributes;
  uint8_t flags;  // kHasAttributes or 0
  const nvtxPayloadData_t* payloads;
  size_t payload_count;
};

// Reads category, colour and payload, and defines the categories in the stream. Fields that are not
// valid are left out and count as bad_attributes or bad_payload.
void ReadExtras(ThreadLog& log, const nvtxEventAttributes_t& attributes, Extras* out);

// A push with extras; `domain_handle` is where its schemas are. Its level, or -1.
int PushWithExtras(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                   const Extras& extras);

// A push whose attributes are null, not valid, or hold more than a name.
int PushUncommon(ThreadLog& log, const void* domain_handle, uint16_t domain,
                 const nvtxEventAttributes_t* attributes);

// Opens a range on the thread's stack; null: too deep (counted).
OpenRange* PushMarked(ThreadLog& log, uint16_t domain, Name name);
inline OpenRange* PushOpen(ThreadLog& log, uint16_t domain, Name name) {
  if (__builtin_expect(name.marks != 0, 0)) return PushMarked(log, domain, name);
  return PushRange(log, kSource, name.id, domain, name.lost);
}

inline int PushName(ThreadLog& log, uint16_t domain, Name name) {
  const OpenRange* range = PushOpen(log, domain, name);
  return range != nullptr ? static_cast<int>(range->level) : -1;
}

inline int Push(ThreadLog& log, const void* domain_handle,
                const nvtxEventAttributes_t* attributes) {
  const uint16_t domain = DomainId(log, domain_handle);
  if (__builtin_expect(!IsUsable(attributes) || HasExtras(*attributes), 0)) {
    return PushUncommon(log, domain_handle, domain, attributes);
  }
  return PushName(log, domain, NameOf(log, attributes->messageType, attributes->message, domain));
}

void MarkName(ThreadLog& log, Name name);
void MarkWithExtras(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                    const Extras& extras);
void Mark(ThreadLog& log, const void* domain_handle, const nvtxEventAttributes_t* attributes);

}  // namespace syncline::nvtx
