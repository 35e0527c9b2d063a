// SPDX-License-Identifier: Apache-2.0
// JSON of our own files, which somebody may have edited.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace syncline {

using Json = nlohmann::ordered_json;

// The library's parser and printer are compiled in one file: they take long.
// Values below `deepest` levels are left out. What is no JSON gives a discarded value.
Json ParseJson(std::string_view text, int deepest = 100);
// `indent` spaces per level. What is not UTF-8 is replaced: names and command lines are any bytes.
std::string JsonText(const Json& json, int indent);

// Takes `key` of `object` if it is there and of the right type; someone may have edited the file.
template <typename T>
void TakeField(const Json& object, const char* key, T* out) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found == object.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (found->is_string()) *out = found->template get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) *out = found->template get<bool>();
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    if (!found->is_array()) return;
    for (const Json& item : *found) {
      if (item.is_string()) out->push_back(item.template get<std::string>());
    }
  } else {
    if (found->is_number_integer()) *out = found->template get<T>();
  }
}

}  // namespace syncline
