// SPDX-License-Identifier: Apache-2.0
// Walks a payload along its schema; every offset and length is checked against the bytes that there
// are.
#include "model/spool/payload_walk.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "model/spool/payload_types.h"

namespace syncline {
namespace {

constexpr int kMaxDepth = 16;
constexpr uint64_t kMaxValues =
    1 << 16;  // of one payload, so that schemas that nest within themselves many times end

double FromHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double value = 0;
  if (exponent == 31) {
    value = fraction != 0 ? NAN : HUGE_VAL;
  } else {
    value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

void AppendCodePoint(std::string* out, uint32_t c) {
  if (c >= 0xd800 && (c <= 0xdfff || c > 0x10ffff)) c = 0xfffd;
  auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 63));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 63));
    put(0x80 | ((c >> 6) & 63));
  }
  put(0x80 | (c & 63));
}

// Text of characters of `width` bytes, up to the first zero, as UTF-8.
std::string NarrowText(std::string_view bytes, size_t width) {
  std::string text;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint32_t c = 0;
    std::memcpy(&c, bytes.data() + at, width);
    if (c == 0) break;
    if (width == 1) {
      text.push_back(static_cast<char>(c));
      continue;
    }
    if (width == 2 && c >= 0xd800 && c < 0xdc00 && at + 4 <= bytes.size()) {
      uint16_t low;
      std::memcpy(&low, bytes.data() + at + 2, sizeof(low));
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00u);
        at += 2;
      }
    }
    AppendCodePoint(&text, c);
  }
  return text;
}

// What a program hides is walked for its length alone.
PayloadVisitor g_nobody;

class Walk {
 public:
  Walk(const Stream& stream, std::string_view payload, PayloadVisitor* out)
      : stream_(stream), all_(payload), out_(out) {}

  // Null `end`: not wanted. Otherwise where the value ends in the payload.
  bool Struct(const PayloadSchema& schema, uint64_t base, int depth, uint64_t* end);

 private:
  struct Place {
    uint64_t offset;  // of the value itself
    uint64_t end;     // of what the entry takes in its struct
  };
  using Offsets = std::vector<std::optional<uint64_t>>;

  bool Entry(const PayloadSchema& schema, size_t index, uint64_t base, Offsets* offsets, int depth,
             uint64_t* end);
  bool Values(const PayloadSchema& schema, const SchemaEntry& entry, uint64_t at,
              std::optional<uint64_t> count, int depth, uint64_t* end);
  bool Text(size_t width, uint64_t at, std::optional<uint64_t> count, uint64_t* end);
  bool Value(const PayloadSchema& schema, uint64_t type, uint64_t at, int depth, uint64_t* end);
  bool Scalar(uint64_t type, PayloadTypeFacts facts, const char* at);
  bool Enum(const PayloadSchema& schema, uint64_t at, uint64_t* end);
  bool Union(const PayloadSchema& schema, const PayloadSchema& outer, const SchemaEntry& entry,
             uint64_t at, const Offsets& offsets, int depth, uint64_t* end);
  std::optional<uint64_t> Integer(const PayloadSchema& schema, uint64_t index,
                                  const Offsets& offsets);
  std::optional<uint64_t> LengthOf(const PayloadSchema& schema, const SchemaEntry& entry,
                                   const Offsets& offsets);
  uint64_t AlignOf(const PayloadSchema& schema, const SchemaEntry& entry, int depth);

  bool Has(uint64_t at, uint64_t bytes) const {
    return at <= all_.size() && all_.size() - at >= bytes;
  }

  bool Count(uint64_t values) {
    values_ += values;
    return values_ <= kMaxValues;
  }

  const Stream& stream_;
  std::string_view all_;
  PayloadVisitor* out_;
  uint64_t values_ = 0;
};

uint64_t Walk::AlignOf(const PayloadSchema& schema, const SchemaEntry& entry, int depth) {
  if ((entry.flags & (kEntryPointer | kEntryOffsetFromBase | kEntryOffsetFromHere)) != 0) return 8;
  const PayloadTypeFacts facts = PayloadTypeOf(entry.type);
  if (facts.bytes != 0) return facts.bytes;
  const PayloadSchema* nested = stream_.SchemaByKey(schema.domain, entry.type);
  if (nested == nullptr || depth > kMaxDepth || ++values_ > kMaxValues) return 1;
  if (nested->kind == kEnumSchema) return std::clamp<uint64_t>(nested->size, 1, 8);
  uint64_t widest = 1;
  for (const PayloadSchema::Entry& part : nested->entries) {
    widest = std::max(widest, AlignOf(*nested, part.raw, depth + 1));
  }
  return widest;
}

bool Walk::Struct(const PayloadSchema& schema, uint64_t base, int depth, uint64_t* end) {
  if (depth > kMaxDepth || !Count(schema.entries.size())) return false;
  Offsets offsets(schema.entries.size());
  // A predefined type as a schema: the value alone.
  const bool bare = schema.entries.size() == 1 && schema.entries[0].name.empty();
  if (!bare) out_->BeginObject();
  uint64_t last = base;
  for (size_t i = 0; i < schema.entries.size(); ++i) {
    const PayloadSchema::Entry& entry = schema.entries[i];
    uint64_t offset = entry.raw.offset;
    if (offset == kFollowsPrevious) {
      const uint64_t align = AlignOf(schema, entry.raw, depth);
      offset = (last - base + align - 1) / align * align;
    }
    if (offset > all_.size()) return false;
    offsets[i] = base + offset;
    PayloadVisitor* const shown = out_;
    if ((entry.raw.flags & kEntryHide) != 0 && !bare) out_ = &g_nobody;
    if (!bare) out_->Key(entry.name.empty() ? "field " + std::to_string(i) : entry.name);
    const bool good = Entry(schema, i, base, &offsets, depth, &last);
    out_ = shown;
    if (!good) return false;
  }
  if (!bare) out_->EndObject();
  *end = schema.size != 0 ? base + schema.size : last;
  return true;
}

bool Walk::Entry(const PayloadSchema& schema, size_t index, uint64_t base, Offsets* offsets,
                 int depth, uint64_t* end) {
  const SchemaEntry& entry = schema.entries[index].raw;
  uint64_t at = *(*offsets)[index];
  const PayloadTypeFacts facts = PayloadTypeOf(entry.type);
  const bool bare_text = facts.value == PayloadValue::kText && entry.detail == 0 &&
                         (entry.flags & kEntryArrayMask) == 0;
  const uint32_t indirect =
      entry.flags & (kEntryPointer | kEntryOffsetFromBase | kEntryOffsetFromHere);
  uint64_t ignored;
  if (indirect != 0 || bare_text) {
    uint64_t word;
    if (!Has(at, sizeof(word))) return false;
    std::memcpy(&word, all_.data() + at, sizeof(word));
    *end = at + sizeof(word);
    if ((indirect & (kEntryOffsetFromBase | kEntryOffsetFromHere)) == 0) {
      out_->Address(word);  // an address: what it points to was not recorded
      return true;
    }
    const uint64_t from = (indirect & kEntryOffsetFromBase) != 0 ? base : *end;
    if (word > all_.size() || !Has(from, word)) return false;
    at = from + word;
    end = &ignored;
  }
  const PayloadSchema* nested = facts.value == PayloadValue::kUnknown
                                    ? stream_.SchemaByKey(schema.domain, entry.type)
                                    : nullptr;
  if (nested != nullptr && nested->kind == kUnionSchema) {
    return Union(*nested, schema, entry, at, *offsets, depth, end);
  }
  return Values(schema, entry, at, LengthOf(schema, entry, *offsets), depth, end);
}

std::optional<uint64_t> Walk::Integer(const PayloadSchema& schema, uint64_t index,
                                      const Offsets& offsets) {
  if (index >= offsets.size() || !offsets[index]) return std::nullopt;
  const PayloadTypeFacts facts = PayloadTypeOf(schema.entries[index].raw.type);
  const bool integer =
      facts.value == PayloadValue::kSigned || facts.value == PayloadValue::kUnsigned;
  if (!integer || !Has(*offsets[index], facts.bytes)) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, all_.data() + *offsets[index], facts.bytes);
  return value;
}

std::optional<uint64_t> Walk::LengthOf(const PayloadSchema& schema, const SchemaEntry& entry,
                                       const Offsets& offsets) {
  const bool text = PayloadTypeOf(entry.type).value == PayloadValue::kText;
  switch (entry.flags & kEntryArrayMask) {
    case kEntryArrayFixed:
      return entry.detail;
    case kEntryArrayLengthIndex:
      return Integer(schema, entry.detail, offsets).value_or(UINT64_MAX);
    case kEntryArrayLengthPayload:
      return UINT64_MAX;  // needs another payload of the event: not supported, shown raw
    case 0:
      if (text) return entry.detail;
      return std::nullopt;
    default:
      return std::nullopt;  // ends with a zero
  }
}

bool Walk::Text(size_t width, uint64_t at, std::optional<uint64_t> count, uint64_t* end) {
  const uint64_t room = Has(at, 0) ? (all_.size() - at) / width : 0;
  uint64_t length = count.value_or(0);
  if (!count) {
    while (length < room) {
      uint32_t c = 0;
      std::memcpy(&c, all_.data() + at + length * width, width);
      if (c == 0) break;
      ++length;
    }
    *end = at + std::min(length + 1, room) * width;
  } else {
    if (length > room) return false;
    *end = at + length * width;
  }
  out_->Text(NarrowText(all_.substr(at, length * width), width));
  return true;
}

bool Walk::Values(const PayloadSchema& schema, const SchemaEntry& entry, uint64_t at,
                  std::optional<uint64_t> count, int depth, uint64_t* end) {
  const PayloadTypeFacts facts = PayloadTypeOf(entry.type);
  const bool array = (entry.flags & kEntryArrayMask) != 0;
  if (facts.value == PayloadValue::kText || (facts.value == PayloadValue::kCharacter && array)) {
    return Text(facts.bytes, at, count, end);
  }
  if (!array) return Value(schema, entry.type, at, depth, end);
  if (facts.value == PayloadValue::kByte && count) {
    if (!Has(at, *count)) return false;
    out_->Bytes(all_.substr(at, *count));
    *end = at + *count;
    return true;
  }
  if (count && *count > all_.size()) return false;
  out_->BeginArray();
  for (uint64_t i = 0; !count || i < *count; ++i) {
    if (!count) {  // ends with an element that is all zero
      if (facts.bytes == 0 || !Has(at, facts.bytes)) return false;
      const std::string_view element = all_.substr(at, facts.bytes);
      if (element.find_first_not_of('\0') == std::string_view::npos) {
        at += facts.bytes;
        break;
      }
    }
    const uint64_t before = at;
    if (!Value(schema, entry.type, at, depth, &at) || at <= before) return false;
  }
  out_->EndArray();
  *end = at;
  return true;
}

bool Walk::Value(const PayloadSchema& schema, uint64_t type, uint64_t at, int depth,
                 uint64_t* end) {
  if (!Count(1)) return false;
  const PayloadTypeFacts facts = PayloadTypeOf(type);
  if (facts.value == PayloadValue::kUnknown) {
    const PayloadSchema* nested = stream_.SchemaByKey(schema.domain, type);
    if (nested == nullptr || at > all_.size()) return false;
    if (nested->kind == kEnumSchema) return Enum(*nested, at, end);
    if (nested->size != 0 && !Has(at, nested->size)) return false;
    return Struct(*nested, at, depth + 1, end);
  }
  if (facts.bytes == 0 || !Has(at, facts.bytes)) return false;
  *end = at + facts.bytes;
  return Scalar(type, facts, all_.data() + at);
}

bool Walk::Scalar(uint64_t type, PayloadTypeFacts facts, const char* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, std::min<size_t>(facts.bytes, sizeof(bits)));
  const int unused_bits = 64 - 8 * std::min<int>(facts.bytes, 8);
  switch (facts.value) {
    case PayloadValue::kSigned:
      out_->Signed(static_cast<int64_t>(bits << unused_bits) >> unused_bits);
      return true;
    case PayloadValue::kUnsigned:
    case PayloadValue::kByte:
      out_->Unsigned(bits);
      return true;
    case PayloadValue::kAddress:
      out_->Address(bits);
      return true;
    case PayloadValue::kColor:
      out_->Color(static_cast<uint32_t>(bits));
      return true;
    case PayloadValue::kCharacter:
      out_->Text(NarrowText({at, facts.bytes}, facts.bytes));
      return true;
    case PayloadValue::kWide:
      out_->Bytes({at, facts.bytes});
      return true;
    case PayloadValue::kFloat:
      break;
    default:
      return false;
  }
  if (type == kTypeFloat16) {
    out_->Double(FromHalf(static_cast<uint16_t>(bits)));
  } else if (type == kTypeLongDouble) {
    long double value;
    std::memcpy(&value, at, sizeof(value));
    out_->Double(static_cast<double>(value));
  } else if (facts.bytes == 8) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    out_->Double(value);
  } else {
    const uint32_t single = static_cast<uint32_t>(type == kTypeBf16 ? bits << 16 : bits);
    float value;
    std::memcpy(&value, &single, sizeof(value));
    out_->Float(value);
  }
  return true;
}

bool Walk::Enum(const PayloadSchema& schema, uint64_t at, uint64_t* end) {
  const uint64_t size = schema.size == 0 ? 4 : schema.size;
  if (size > 8 || !Has(at, size)) return false;
  uint64_t value = 0;
  std::memcpy(&value, all_.data() + at, size);
  *end = at + size;
  const uint64_t mask = size == 8 ? UINT64_MAX : (uint64_t{1} << (8 * size)) - 1;
  std::string names;
  uint64_t left = value;
  for (const PayloadSchema::Entry& entry : schema.entries) {
    const uint64_t bits = entry.raw.type & mask;
    if (bits == value) {
      out_->Text(entry.name);
      return true;
    }
    if (entry.raw.flags != 0 && bits != 0 && (left & bits) == bits) {
      names += (names.empty() ? "" : "|") + entry.name;
      left &= ~bits;
    }
  }
  if (left == 0 && !names.empty()) {
    out_->Text(names);
  } else {
    out_->Unsigned(value);
  }
  return true;
}

// The member that the selecting entry of the outer schema names; without one, all members that the
// bytes allow.
bool Walk::Union(const PayloadSchema& schema, const PayloadSchema& outer, const SchemaEntry& entry,
                 uint64_t at, const Offsets& offsets, int depth, uint64_t* end) {
  if (depth >= kMaxDepth || !Count(schema.entries.size())) return false;
  const std::optional<uint64_t> chosen = Integer(outer, entry.detail, offsets);
  uint64_t last = at;
  if (chosen && *chosen < schema.entries.size()) {
    PayloadSchema one;
    one.kind = kStructSchema;
    one.domain = schema.domain;
    one.entries.push_back(schema.entries[*chosen]);
    if (!Struct(one, at, depth + 1, &last)) return false;
  } else {
    PayloadSchema members = schema;
    members.size = 0;
    std::erase_if(members.entries, [](const PayloadSchema::Entry& member) {
      return PayloadTypeOf(member.raw.type).value == PayloadValue::kSelector;
    });
    if (!Struct(members, at, depth + 1, &last)) return false;
  }
  *end = schema.size != 0 ? at + schema.size : last;
  return true;
}

// One value, or an array of them where the program passed several of a schema of fixed size.
bool WalkAll(const Stream& stream, const PayloadSchema& schema, std::string_view bytes,
             PayloadVisitor* out) {
  if (schema.size != 0 && (bytes.size() < schema.size || bytes.size() % schema.size != 0))
    return false;
  const uint64_t count = schema.size == 0 ? 1 : bytes.size() / schema.size;
  if (count > kMaxValues) return false;
  if (count > 1) out->BeginArray();
  Walk walk(stream, bytes, out);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t end;
    if (!walk.Struct(schema, i * schema.size, 0, &end)) return false;
  }
  if (count > 1) out->EndArray();
  return true;
}

}  // namespace

PayloadShape WalkPayload(const Stream& stream, const ExtendedPayload& payload,
                         PayloadVisitor* visitor) {
  if (payload.schema == 0) return PayloadShape::kNoSchema;
  const PayloadSchema* schema = stream.Schema(payload.schema);
  if (schema == nullptr || schema->kind == kEnumSchema) return PayloadShape::kBad;
  const bool whole = WalkAll(stream, *schema, payload.bytes, visitor);
  return whole ? PayloadShape::kWhole : PayloadShape::kBad;
}

}  // namespace syncline
