// SPDX-License-Identifier: Apache-2.0
// Reads large documents of JSON without copying them: values are places in the text.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace syncline {

class JsonDocument;

// A value of a document, or none. The document outlives it.
class JsonValue {
 public:
  class Children;

  JsonValue() = default;
  bool IsObject() const;
  bool IsArray() const;
  bool IsText() const;
  // None: this is no object, or has no such field.
  JsonValue operator[](std::string_view key) const;
  // Those of an array; empty: this is none.
  Children Items() const;
  // Those of an object; empty: this is none.
  Children Fields() const;
  // Of a field.
  std::string Key() const;
  // A text as it is written: what needs no escapes, such as columns of numbers.
  std::string_view Raw() const;

  // False, and nothing is taken: it is of another type. A number that `out` cannot hold is noted as
  // the document's Unfit().
  template <typename Number>
  bool Take(Number* out) const;
  bool Take(bool* out) const;
  bool Take(std::string* out) const;
  // The texts, and nothing else that is there.
  bool Take(std::vector<std::string>* out) const;
  // All, or none where one is no number.
  bool Take(std::vector<uint64_t>* out) const;

 private:
  friend class JsonDocument;
  JsonValue(JsonDocument* document, uint32_t token) : document_(document), token_(token) {}
  // Empty: it is no whole number.
  std::string_view Digits() const;
  void NoteUnfit() const;

  JsonDocument* document_ = nullptr;
  uint32_t token_ = 0;
};

class JsonDocument {
 public:
  // `text` outlives this.
  explicit JsonDocument(std::string_view text);

  bool IsJson() const { return !tokens_.empty(); }
  // None: the text is no JSON.
  JsonValue Root();
  // The first number that did not fit into what it was taken for, with its field: "-5 in "ranks"".
  // Empty: there was none.
  const std::string& Unfit() const { return unfit_; }

 private:
  friend class JsonValue;
  friend class JsonValue::Children;

  enum class Kind : uint8_t {
    kObject,
    kArray,
    kKey,
    kText,
    kInteger,
    kOtherNumber,
    kTrue,
    kFalse,
    kNull
  };
  // A document is a row of them: an object or array stands before what is in it, a key before its
  // value. Nothing recurses, however deep it is.
  struct Token {
    Kind kind;
    uint32_t begin;  // in the text
    uint32_t end;    // there; of an object or array: in the tokens, behind what is in it
  };

  bool Read();
  bool ReadValue(bool* opened);
  bool ReadText(Kind kind);
  bool ReadKey();
  bool ReadNumber();
  bool ReadWord(std::string_view word, Kind kind);
  // What stands behind a value. False: it is damaged.
  bool ReadBehind(bool* at_end);
  void Open(Kind kind);
  void Close();
  // Passes blanks; 0: the text is over.
  char Next();
  uint32_t Behind(uint32_t token) const;
  std::string_view TextOf(uint32_t token) const;

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<uint32_t> open_;
  std::string unfit_;
};

class JsonValue::Children {
 public:
  class Iterator {
   public:
    Iterator(JsonDocument* document, uint32_t token, uint32_t keys)
        : document_(document), token_(token), keys_(keys) {}
    JsonValue operator*() const { return {document_, token_}; }
    Iterator& operator++() {
      token_ = document_->Behind(token_) + keys_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return token_ != other.token_; }

   private:
    JsonDocument* document_;
    uint32_t token_;
    uint32_t keys_;  // before each: 1 or 0
  };

  Children() = default;
  Children(JsonDocument* document, uint32_t parent, uint32_t keys)
      : begin_(document, parent + 1 + keys, keys),
        end_(document, document->Behind(parent) + keys, keys) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_{nullptr, 0, 0}, end_{nullptr, 0, 0};
};

template <typename Number>
bool JsonValue::Take(Number* out) const {
  const std::string_view digits = Digits();
  if (digits.empty()) return false;
  Number number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [after, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || after != end) {
    NoteUnfit();
    return false;
  }
  *out = number;
  return true;
}

}  // namespace syncline
