// SPDX-License-Identifier: Apache-2.0
// Reads JSON of our own files, which somebody may have edited.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace syncline {

using Json = nlohmann::ordered_json;

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
