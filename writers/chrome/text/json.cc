// SPDX-License-Identifier: Apache-2.0
// Escaping and the rarer values; the hot numbers are in the header.
#include "writers/chrome/text/json.h"

#include <charconv>
#include <cmath>

namespace syncline {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Length of the valid UTF-8 sequence at `at` (1 to 4), or minus the length of the invalid part
// there.
int SequenceAt(const unsigned char* at, size_t left) {
  const unsigned char first = at[0];
  if (first < 0x80) return 1;
  int length = 0;
  unsigned char low = 0x80, high = 0xbf;  // bounds of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;   // overlong
    if (first == 0xed) high = 0x9f;  // surrogates
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;  // beyond U+10FFFF
  } else {
    return -1;
  }
  for (int i = 1; i < length; ++i) {
    if (static_cast<size_t>(i) >= left || at[i] < low || at[i] > high) return -i;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void AppendControl(std::string* out, unsigned char c) {
  switch (c) {
    case '\n':
      out->append("\\n");
      return;
    case '\t':
      out->append("\\t");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\b':
      out->append("\\b");
      return;
    case '\f':
      out->append("\\f");
      return;
    default:
      break;
  }
  out->append("\\u00");
  out->push_back(kHex[c >> 4]);
  out->push_back(kHex[c & 15]);
}

template <typename T>
void AppendFloating(std::string* out, T value) {
  if (std::isnan(value)) {
    out->append("\"NaN\"");
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value);
    out->append(text, end.ptr);
  }
}

}  // namespace

bool AppendEscaped(std::string* out, std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  size_t left = text.size();
  bool valid = true;
  while (left > 0) {
    size_t plain = 0;
    while (plain < left && IsPlain(at[plain])) ++plain;
    out->append(reinterpret_cast<const char*>(at), plain);
    at += plain;
    left -= plain;
    if (left == 0) break;
    const unsigned char c = *at;
    int used = 1;
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(static_cast<char>(c));
    } else if (c < 0x20 || c == 0x7f) {
      AppendControl(out, c);
    } else {
      used = SequenceAt(at, left);
      if (used > 0) {
        out->append(reinterpret_cast<const char*>(at), static_cast<size_t>(used));
      } else {
        out->append("\xef\xbf\xbd");
        used = -used;
        valid = false;
      }
    }
    at += used;
    left -= static_cast<size_t>(used);
  }
  return valid;
}

bool AppendString(std::string* out, std::string_view text) {
  out->push_back('"');
  const bool valid = AppendEscaped(out, text);
  out->push_back('"');
  return valid;
}

void AppendUint(std::string* out, uint64_t value) {
  char text[kMaxNumberChars];
  out->append(text, PutUint(text, value));
}

void AppendInt(std::string* out, int64_t value) {
  char text[kMaxNumberChars];
  out->append(text, PutInt(text, value));
}

void AppendDouble(std::string* out, double value) { AppendFloating(out, value); }
void AppendFloat(std::string* out, float value) { AppendFloating(out, value); }

void AppendUintValue(std::string* out, uint64_t value) {
  if (value > INT64_MAX) {
    AppendHex(out, value);
  } else {
    AppendUint(out, value);
  }
}

void AppendHex(std::string* out, uint64_t value) {
  char text[16];
  const auto end = std::to_chars(text, text + sizeof(text), value, 16);
  out->append("\"0x");
  out->append(text, end.ptr);
  out->push_back('"');
}

void AppendHexBytes(std::string* out, std::string_view bytes) {
  out->push_back('"');
  for (const char c : bytes) {
    out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
    out->push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
  out->push_back('"');
}

}  // namespace syncline
