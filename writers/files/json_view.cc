// SPDX-License-Identifier: Apache-2.0
// One pass over the text, and escapes where a text has some and is wanted.
#include "writers/files/json_view.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace syncline {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(uint32_t code, std::string* out) {
  const auto more = [&](uint32_t shift) {
    out->push_back(static_cast<char>(0x80 | (code >> shift & 0x3f)));
  };
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code >> 6));
    more(0);
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | code >> 12));
    more(6), more(0);
  } else {
    out->push_back(static_cast<char>(0xf0 | code >> 18));
    more(12), more(6), more(0);
  }
}

// The four digits behind "\u"; kNoChar: they are none.
uint32_t HexAt(std::string_view text, size_t at) {
  uint32_t code = 0;
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return kNoChar;
  const char* const end = text.data() + at + 6;
  const auto [after, error] = std::from_chars(end - 4, end, code, 16);
  return error == std::errc() && after == end ? code : kNoChar;
}

// The character that "\u" at `*at` means, or two of them that are its halves; `*at` passes what was
// used. What means none is U+FFFD.
uint32_t EscapedChar(std::string_view text, size_t* at) {
  constexpr uint32_t kReplacement = 0xfffd;
  const uint32_t first = HexAt(text, *at);
  *at += first == kNoChar ? 2 : 6;
  if (first < 0xd800 || (first > 0xdfff && first != kNoChar)) return first;
  const uint32_t second = HexAt(text, *at);
  const bool are_halves = first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
  if (!are_halves) return kReplacement;
  *at += 6;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

// An escape that JSON does not have stands for the character itself.
std::string Unescaped(std::string_view text) {
  constexpr std::string_view kLetters = "bfnrt", kControls = "\b\f\n\r\t";
  std::string plain;
  plain.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t escape = std::min(text.find('\\', at), text.size());
    plain.append(text, at, escape - at);
    at = escape;
    if (at + 1 >= text.size()) break;
    if (text[at + 1] == 'u') {
      AppendUtf8(EscapedChar(text, &at), &plain);
      continue;
    }
    const size_t letter = kLetters.find(text[at + 1]);
    plain.push_back(letter == std::string_view::npos ? text[at + 1] : kControls[letter]);
    at += 2;
  }
  return plain;
}

}  // namespace

bool JsonValue::IsObject() const {
  return document_ != nullptr && document_->tokens_[token_].kind == JsonDocument::Kind::kObject;
}

bool JsonValue::IsArray() const {
  return document_ != nullptr && document_->tokens_[token_].kind == JsonDocument::Kind::kArray;
}

bool JsonValue::IsText() const {
  return document_ != nullptr && document_->tokens_[token_].kind == JsonDocument::Kind::kText;
}

// Keys that we look for have no escapes.
JsonValue JsonValue::operator[](std::string_view key) const {
  if (!IsObject()) return {};
  const uint32_t end = document_->Behind(token_);
  for (uint32_t at = token_ + 1; at < end; at = document_->Behind(at + 1)) {
    if (document_->TextOf(at) == key) return {document_, at + 1};
  }
  return {};
}

JsonValue::Children JsonValue::Items() const {
  return IsArray() ? Children(document_, token_, 0) : Children();
}

JsonValue::Children JsonValue::Fields() const {
  return IsObject() ? Children(document_, token_, 1) : Children();
}

std::string JsonValue::Key() const { return Unescaped(document_->TextOf(token_ - 1)); }

std::string_view JsonValue::Raw() const {
  return IsText() ? document_->TextOf(token_) : std::string_view();
}

std::string_view JsonValue::Digits() const {
  const bool whole =
      document_ != nullptr && document_->tokens_[token_].kind == JsonDocument::Kind::kInteger;
  return whole ? document_->TextOf(token_) : std::string_view();
}

// The key before it is that of the field, or of the array in which the number is.
void JsonValue::NoteUnfit() const {
  if (!document_->unfit_.empty()) return;
  uint32_t key = token_;
  while (key > 0 && document_->tokens_[key].kind != JsonDocument::Kind::kKey) --key;
  constexpr size_t kMostDigits = 40;
  document_->unfit_ =
      Text(Shortened(Digits(), kMostDigits), " in \"", Unescaped(document_->TextOf(key)), "\"");
}

bool JsonValue::Take(bool* out) const {
  if (document_ == nullptr) return false;
  const JsonDocument::Kind kind = document_->tokens_[token_].kind;
  if (kind != JsonDocument::Kind::kTrue && kind != JsonDocument::Kind::kFalse) return false;
  *out = kind == JsonDocument::Kind::kTrue;
  return true;
}

bool JsonValue::Take(std::string* out) const {
  if (!IsText()) return false;
  const std::string_view raw = Raw();
  if (raw.find('\\') == std::string_view::npos) {
    out->assign(raw);
  } else {
    *out = Unescaped(raw);
  }
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

JsonDocument::JsonDocument(std::string_view text) : text_(text) {
  if (text.size() > UINT32_MAX || !IsUtf8(text) || !Read()) tokens_.clear();
}

JsonValue JsonDocument::Root() { return IsJson() ? JsonValue(this, 0) : JsonValue(); }

bool JsonDocument::Read() {
  for (bool at_end = false; !at_end;) {
    bool opened = false;
    if (!ReadValue(&opened)) return false;
    if (!opened && !ReadBehind(&at_end)) return false;
  }
  return true;
}

// `*opened`: a value has to follow, the first one of what was opened.
bool JsonDocument::ReadValue(bool* opened) {
  const char first = Next();
  switch (first) {
    case '{':
    case '[':
      Open(first == '{' ? Kind::kObject : Kind::kArray);
      if (Next() == (first == '{' ? '}' : ']')) {
        Close();
        return true;
      }
      *opened = true;
      return first == '[' || ReadKey();
    case '"':
      return ReadText(Kind::kText);
    case 't':
      return ReadWord("true", Kind::kTrue);
    case 'f':
      return ReadWord("false", Kind::kFalse);
    case 'n':
      return ReadWord("null", Kind::kNull);
    default:
      return ReadNumber();
  }
}

bool JsonDocument::ReadBehind(bool* at_end) {
  for (; !open_.empty(); Close()) {
    const bool is_object = tokens_[open_.back()].kind == Kind::kObject;
    const char next = Next();
    if (next == ',') {
      ++at_;
      return !is_object || ReadKey();
    }
    if (next != (is_object ? '}' : ']')) return false;
  }
  *at_end = true;
  return Next() == 0 && at_ == text_.size();
}

void JsonDocument::Open(Kind kind) {
  open_.push_back(static_cast<uint32_t>(tokens_.size()));
  tokens_.push_back({kind, static_cast<uint32_t>(at_), 0});
  ++at_;
}

void JsonDocument::Close() {
  tokens_[open_.back()].end = static_cast<uint32_t>(tokens_.size());
  open_.pop_back();
  ++at_;
}

bool JsonDocument::ReadKey() {
  if (Next() != '"' || !ReadText(Kind::kKey) || Next() != ':') return false;
  ++at_;
  return true;
}

// To the next quote that has an even number of backslashes before it.
bool JsonDocument::ReadText(Kind kind) {
  const size_t begin = at_ + 1;
  for (size_t end = begin; (end = text_.find('"', end)) != std::string_view::npos; ++end) {
    size_t slashes = 0;
    while (text_[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 != 0) continue;
    tokens_.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    at_ = end + 1;
    return true;
  }
  return false;
}

bool JsonDocument::ReadNumber() {
  const char* const begin = text_.data() + at_;
  const char* const end = text_.data() + text_.size();
  const char* after = begin + (begin < end && *begin == '-' ? 1 : 0);
  if (after == end || !IsDigit(*after)) return false;
  after = std::find_if_not(after, end, IsDigit);
  Kind kind = Kind::kInteger;
  if (after < end && (*after == '.' || *after == 'e' || *after == 'E')) {
    double number = 0;
    kind = Kind::kOtherNumber;
    after = std::from_chars(begin, end, number).ptr;
  }
  const size_t behind = at_ + static_cast<size_t>(after - begin);
  tokens_.push_back({kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(behind)});
  at_ = behind;
  return true;
}

bool JsonDocument::ReadWord(std::string_view word, Kind kind) {
  if (text_.substr(at_, word.size()) != word) return false;
  const size_t begin = at_;
  at_ += word.size();
  tokens_.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)});
  return true;
}

char JsonDocument::Next() {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

uint32_t JsonDocument::Behind(uint32_t token) const {
  const Token& at = tokens_[token];
  return at.kind == Kind::kObject || at.kind == Kind::kArray ? at.end : token + 1;
}

std::string_view JsonDocument::TextOf(uint32_t token) const {
  return text_.substr(tokens_[token].begin, tokens_[token].end - tokens_[token].begin);
}

}  // namespace syncline
