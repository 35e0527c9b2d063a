// SPDX-License-Identifier: Apache-2.0
// Builds small JSON objects as text, for the head of a trace; keys stay in order, with a space
// after each colon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "writers/chrome/text/json.h"

namespace syncline {

class JsonObject {
 public:
  JsonObject& Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendString(&text_, value);
    return *this;
  }
  JsonObject& Uint(std::string_view key, uint64_t value) {
    Key(key);
    AppendUintValue(&text_, value);
    return *this;
  }
  JsonObject& Int(std::string_view key, int64_t value) {
    Key(key);
    AppendInt(&text_, value);
    return *this;
  }
  // `value` is JSON.
  JsonObject& Raw(std::string_view key, std::string_view value) {
    Key(key);
    text_.append(value);
    return *this;
  }
  bool empty() const { return text_.empty(); }
  std::string Take() const { return "{" + text_ + "}"; }

 private:
  void Key(std::string_view key) {
    if (!text_.empty()) text_.append(", ");
    AppendString(&text_, key);
    text_.append(": ");
  }
  std::string text_;
};

// Appends to the text of a JSON array that lacks its brackets.
inline void AppendElement(std::string* array, std::string_view value) {
  if (!array->empty()) array->append(", ");
  array->append(value);
}

}  // namespace syncline
