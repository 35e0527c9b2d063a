// SPDX-License-Identifier: Apache-2.0
// The uncommon halves of pushes, and marks.
#include "collectors/nvtx/event.h"

#include <cstring>

#include "collectors/nvtx/payload.h"
#include "collectors/nvtx/registry.h"
#include "collectors/nvtx/text.h"
#include "inject/core/range_gate.h"
#include "inject/core/started_ranges.h"

namespace syncline::nvtx {
namespace {

constexpr int32_t kMaxPayloads = 64;  // of one event: more is taken for garbage

PayloadType ScalarType(int32_t type) {
  switch (type) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      return PayloadType::kUint64;
    case NVTX_PAYLOAD_TYPE_INT64:
      return PayloadType::kInt64;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return PayloadType::kDouble;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      return PayloadType::kUint32;
    case NVTX_PAYLOAD_TYPE_INT32:
      return PayloadType::kInt32;
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return PayloadType::kFloat;
    default:
      return PayloadType::kNone;
  }
}

uint64_t ScalarBits(const nvtxEventAttributes_t& attributes, PayloadType type) {
  const bool is_narrow =
      type == PayloadType::kUint32 || type == PayloadType::kInt32 || type == PayloadType::kFloat;
  return is_narrow ? attributes.payload.uiValue : attributes.payload.ullValue;
}

}  // namespace

NameCacheEntry& CacheEntry(ThreadLog& log, NameCacheEntry& first, const void* key) {
  if (first.key == key) return first;
  NameCacheEntry& second = log.names[static_cast<size_t>(&first - log.names) ^ 1];
  if (second.key == key) return second;
  if (first.key == nullptr) return first;
  if (second.key == nullptr) return second;
  return log.next_name % 2 == 0 ? first : second;
}

OpenRange* PushMarked(ThreadLog& log, uint16_t domain, Name name) {
  const uint8_t marks = EnterMarked(log, name.marks, true);
  OpenRange* range = PushRange(log, kSource, name.id, domain, name.lost);
  if (range == nullptr) {
    LeaveMarked(log, marks);
    return nullptr;
  }
  range->marks = marks;
  // After it: whoever leaves the range finds its marks.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kIsMarked;
  return range;
}

uint8_t MarksOf(const ThreadLog& log, NameCacheEntry& entry, std::string_view text,
                uint16_t domain) {
  if (entry.marks == kMarksUnknown) {
    entry.marks = MarksOfName(text);
    if (entry.marks != 0) entry.bytes |= kMarkedName;
  }
  return entry.marks == 0 ? 0 : MarksOfRange(text, DomainText(log, domain));
}

Name AsciiName(ThreadLog& log, const char* text, uint16_t domain) {
  if (text == nullptr) return {0, false};
  NameCacheEntry& entry = CacheEntry(log, NameSlot(log, text), text);
  if (entry.key == text && PlainBytes(entry) <= kInlineNameBytes &&
      std::strcmp(text, entry.copy) == 0) {
    return Marked(log, entry, entry.id, entry.copy, domain);
  }
  const uint32_t id = LongNameId(log, entry, text);
  return Marked(log, entry, id, text, domain);
}

Name NameOf(ThreadLog& log, int32_t type, nvtxMessageValue_t message, uint16_t domain) {
  switch (type) {
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const void* handle = message.registered;
      if (handle == nullptr) return {0, false};
      NameCacheEntry& entry = CacheEntry(log, HandleSlot(log, handle), handle);
      const bool known = entry.key == handle && PlainBytes(entry) == kHandleName;
      if (known && entry.marks == 0) return {entry.id, false};
      const RegisteredString* string = FindString(handle);
      if (string == nullptr) break;
      const Text& text = string->text;
      const uint32_t id =
          known ? entry.id : DefineName(log, entry, handle, text.data, text.bytes, true);
      return Marked(log, entry, id, {text.data, text.bytes}, domain);
    }
    case NVTX_MESSAGE_TYPE_UNICODE:
      return WideName(log, message.unicode, domain);
    case NVTX_MESSAGE_TYPE_ASCII:
      return AsciiName(log, message.ascii, domain);
    case NVTX_MESSAGE_UNKNOWN:
      return {0, false};
    default:
      break;
  }
  CountLoss(kLoss_bad_attributes);
  return {0, false};
}

void ReadExtras(ThreadLog& log, const nvtxEventAttributes_t& attributes, Extras* out) {
  *out = {};
  out->attributes.category = attributes.category;
  if (attributes.category != 0) DefineCategories(log);
  if (attributes.colorType == NVTX_COLOR_ARGB) {
    out->attributes.color = attributes.color;
    out->attributes.has_color = 1;
  } else if (attributes.colorType != NVTX_COLOR_UNKNOWN) {
    CountLoss(kLoss_bad_attributes);
  }
  const PayloadType scalar = ScalarType(attributes.payloadType);
  if (scalar != PayloadType::kNone) {
    out->attributes.payload_type = static_cast<uint32_t>(scalar);
    out->attributes.payload = ScalarBits(attributes, scalar);
  } else if (attributes.payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    out->payloads = reinterpret_cast<const nvtxPayloadData_t*>(attributes.payload.ullValue);
    if (out->payloads != nullptr && attributes.reserved0 > 0 &&
        attributes.reserved0 <= kMaxPayloads) {
      out->payload_count = static_cast<size_t>(attributes.reserved0);
    } else {
      CountLoss(kLoss_bad_payload);
    }
  } else if (attributes.payloadType != NVTX_PAYLOAD_UNKNOWN) {
    CountLoss(kLoss_bad_attributes);
  }
  const bool any = out->attributes.category != 0 || out->attributes.has_color != 0 ||
                   out->attributes.payload_type != 0;
  out->flags = any ? kHasAttributes : 0;
}

int PushWithExtras(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                   const Extras& extras) {
  OpenRange* range = PushOpen(log, domain, name);
  if (range == nullptr) return -1;
  const auto level = static_cast<int>(range->level);
  if (extras.flags != 0) {
    range->attributes = extras.attributes;
    // Flags last: whoever reads the stack after a crash sees attributes only where they are whole.
    std::atomic_signal_fence(std::memory_order_release);
    range->flags |= extras.flags;
  }
  if (extras.payload_count != 0 && (range->flags & kBegunClosed) == 0 &&
      EmitPayloads(log, domain_handle, domain, range->begin, extras.payloads,
                   extras.payload_count)) {
    log.stack[log.depth - 1].flags |= kHasPayload;  // the stack may have moved
  }
  return level;
}

int PushUncommon(ThreadLog& log, const void* domain_handle, uint16_t domain,
                 const nvtxEventAttributes_t* attributes) {
  if (!IsUsable(attributes)) {  // a range without a name, so that its pop has a push
    CountLoss(kLoss_bad_attributes);
    return PushName(log, domain, {0, false});
  }
  Extras extras;
  ReadExtras(log, *attributes, &extras);
  const Name name = NameOf(log, attributes->messageType, attributes->message, domain);
  return PushWithExtras(log, domain_handle, domain, name, extras);
}

void MarkWithExtras(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                    const Extras& extras) {
  if (name.lost) return;
  if (IsClosedFor(log)) return CountGated(log, kGatedRanges);
  const uint64_t now = Ticks();
  uint8_t flags = extras.flags;
  if (extras.payload_count != 0 &&
      EmitPayloads(log, domain_handle, domain, now, extras.payloads, extras.payload_count)) {
    flags |= kHasPayload;
  }
  const MomentFacts facts = {kSource, domain, name.id, flags, &extras.attributes};
  if (!EmitMoment(log, RecordKind::kMark, facts, now, now, 0)) CountLoss(kLoss_ring_full);
}

void MarkName(ThreadLog& log, Name name) { MarkWithExtras(log, nullptr, 0, name, {}); }

void Mark(ThreadLog& log, const void* domain_handle, const nvtxEventAttributes_t* attributes) {
  const uint16_t domain = DomainId(log, domain_handle);
  if (!IsUsable(attributes)) {
    CountLoss(kLoss_bad_attributes);
    return;
  }
  Extras extras;
  ReadExtras(log, *attributes, &extras);
  MarkWithExtras(log, domain_handle, domain,
                 NameOf(log, attributes->messageType, attributes->message, domain), extras);
}

}  // namespace syncline::nvtx
