// SPDX-License-Identifier: Apache-2.0
// RapidJSON's values, and what is damage to us.
#include "writers/files/json_view.h"

#include <rapidjson/document.h>

#include <cmath>
#include <utility>

#include "base/text.h"

namespace syncline {
namespace {

// Nothing recurses, however deep a document is.
constexpr unsigned kParsing =
    rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

std::string_view TextOf(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

bool JsonValue::IsObject() const { return value_ != nullptr && value_->IsObject(); }
bool JsonValue::IsArray() const { return value_ != nullptr && value_->IsArray(); }
bool JsonValue::IsText() const { return value_ != nullptr && value_->IsString(); }

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!IsObject()) return {};
  for (const auto& field : value_->GetObject()) {
    if (TextOf(field.name) == key) return {document_, &field.name, &field.value};
  }
  return {};
}

std::vector<JsonValue> JsonValue::Items() const {
  std::vector<JsonValue> items;
  if (!IsArray()) return items;
  items.reserve(value_->Size());
  for (const auto& item : value_->GetArray()) items.push_back({document_, key_, &item});
  return items;
}

std::vector<JsonValue> JsonValue::Fields() const {
  std::vector<JsonValue> fields;
  if (!IsObject()) return fields;
  fields.reserve(value_->MemberCount());
  for (const auto& field : value_->GetObject())
    fields.push_back({document_, &field.name, &field.value});
  return fields;
}

std::string JsonValue::Key() const { return std::string(TextOf(*key_)); }

std::string_view JsonValue::Raw() const { return IsText() ? TextOf(*value_) : std::string_view(); }

// What 64 bits cannot hold is a floating number to RapidJSON.
bool JsonValue::TakeBits(int64_t least, uint64_t most, uint64_t* bits) const {
  constexpr double kBeyondInt64 = 0x1p63;
  if (value_ == nullptr || !value_->IsNumber()) return false;
  if (value_->IsUint64()) {
    *bits = value_->GetUint64();
    if (*bits <= most) return true;
  } else if (value_->IsInt64()) {
    *bits = static_cast<uint64_t>(value_->GetInt64());
    if (value_->GetInt64() >= least) return true;
  } else if (std::abs(value_->GetDouble()) < kBeyondInt64) {
    return false;
  }
  if (!document_->unfit_.empty()) return false;
  const std::string number = value_->IsUint64()  ? Text(value_->GetUint64())
                             : value_->IsInt64() ? Text(value_->GetInt64())
                                                 : "a number beyond 64 bits";
  document_->unfit_ = Text(number, " in \"", key_ == nullptr ? "" : Key(), "\"");
  return false;
}

bool JsonValue::Take(bool* out) const {
  if (value_ == nullptr || !value_->IsBool()) return false;
  *out = value_->GetBool();
  return true;
}

bool JsonValue::Take(std::string* out) const {
  if (!IsText()) return false;
  out->assign(Raw());
  return true;
}

bool JsonValue::Take(std::vector<std::string>* out) const {
  for (const JsonValue item : Items()) {
    std::string text;
    if (item.Take(&text)) out->push_back(std::move(text));
  }
  return IsArray();
}

bool JsonValue::Take(std::vector<uint64_t>* out) const {
  for (const JsonValue item : Items()) {
    if (item.Take(&out->emplace_back())) continue;
    out->clear();  // places would no longer fit
    return false;
  }
  return IsArray();
}

// A zero byte would end the text for the parser.
JsonDocument::JsonDocument(std::string_view text) : text_(text) {
  if (text_.size() > UINT32_MAX || text_.find('\0') != std::string::npos) return;
  root_ = std::make_unique<rapidjson::Document>();
  if (root_->ParseInsitu<kParsing>(text_.data()).HasParseError()) root_.reset();
}

JsonValue JsonDocument::Root() { return {this, nullptr, root_.get()}; }

JsonDocument::~JsonDocument() = default;

}  // namespace syncline
