// SPDX-License-Identifier: Apache-2.0
// Reads large documents of JSON by RapidJSON: values are places in one copy of the text.
#pragma once

#include <rapidjson/fwd.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

class JsonDocument;

// A value of a document, or none. The document outlives it.
class JsonValue {
 public:
  JsonValue() = default;
  bool IsObject() const;
  bool IsArray() const;
  bool IsText() const;
  // None: this is no object, or has no such field.
  JsonValue operator[](std::string_view key) const;
  // Those of an array; empty: this is none.
  std::vector<JsonValue> Items() const;
  // Those of an object; empty: this is none.
  std::vector<JsonValue> Fields() const;
  // Of a field.
  std::string Key() const;
  // A text where it lies in the document; empty: this is none.
  std::string_view Raw() const;

  // False, and nothing is taken: it is of another type. A number that `out` cannot hold is noted as
  // the document's Unfit().
  template <std::integral Number>
  bool Take(Number* out) const {
    using Limits = std::numeric_limits<Number>;
    uint64_t bits = 0;
    if (!TakeBits(Limits::min(), Limits::max(), &bits)) return false;
    *out = static_cast<Number>(bits);
    return true;
  }
  bool Take(bool* out) const;
  bool Take(std::string* out) const;
  // The texts, and nothing else that is there.
  bool Take(std::vector<std::string>* out) const;
  // All, or none where one is no number.
  bool Take(std::vector<uint64_t>* out) const;

 private:
  friend class JsonDocument;
  JsonValue(JsonDocument* document, const rapidjson::Value* key, const rapidjson::Value* value)
      : document_(document), key_(key), value_(value) {}
  // The 64 bits of a whole number from `least` to `most`. One beyond them is noted.
  bool TakeBits(int64_t least, uint64_t most, uint64_t* bits) const;

  JsonDocument* document_ = nullptr;
  const rapidjson::Value* key_ = nullptr;  // of the field that it is, or in whose array it is
  const rapidjson::Value* value_ = nullptr;
};

class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  ~JsonDocument();

  bool IsJson() const { return root_ != nullptr; }
  // None: the text is no JSON.
  JsonValue Root();
  // The first number that did not fit into what it was taken for, with its field: "-5 in "ranks"".
  // Empty: there was none.
  const std::string& Unfit() const { return unfit_; }

 private:
  friend class JsonValue;

  std::string text_;  // in which the parser leaves the document's texts
  std::unique_ptr<rapidjson::Document> root_;
  std::string unfit_;
};

}  // namespace syncline
