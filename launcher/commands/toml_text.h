// SPDX-License-Identifier: Apache-2.0
// Reads the part of TOML that options need: `key = value` lines, in which a value is a text, a
// number, true or false, or an array of these. No tables: options have none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct TomlEntry {
  std::string key;
  std::vector<std::string> values;  // as texts; one, unless is_array
  bool is_array = false;
  bool is_text = false;  // the value, or each of the array's, stands in quotes
  size_t line = 0;       // from 1
};

struct TomlText {
  std::vector<TomlEntry> entries;
  std::string error;  // a sentence without its end; empty: good
  size_t line = 0;    // of the error
};

TomlText ReadToml(std::string_view text);

}  // namespace syncline
