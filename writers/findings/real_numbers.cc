// SPDX-License-Identifier: Apache-2.0
// Numbers beyond whole ones, as the shortest text that gives the same number again.
#include <charconv>

#include "writers/findings/findings_fields.h"

namespace syncline {

std::string RealText(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

void TakeReal(const JsonValue& text, double* value) {
  const std::string_view raw = text.Raw();
  double number = 0;
  const auto [after, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  constexpr double kLeast = 1e-6, kMost = 1e30;  // so that what is made of several is a number, too
  if (error == std::errc() && after == raw.data() + raw.size() && number >= kLeast &&
      number <= kMost)
    *value = number;
}

Json FormatsJson(const ByFormat& numbers) {
  Json json = Json::object();
  for (size_t i = 0; i < kNumberFormats; ++i) {
    if (numbers[i] != 0) json[kNumberFormatNames[i]] = RealText(numbers[i]);
  }
  return json;
}

void TakeFormats(const JsonValue& object, ByFormat* numbers) {
  for (size_t i = 0; i < kNumberFormats; ++i)
    TakeReal(object[kNumberFormatNames[i]], &(*numbers)[i]);
}

}  // namespace syncline
