// SPDX-License-Identifier: Apache-2.0
// Building text for people: joined values, sizes, counts, durations, names made harmless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace syncline {

inline void AppendText(std::string* out, std::string_view text) { out->append(text); }
template <typename Number>
requires std::is_arithmetic_v<Number>
void AppendText(std::string* out, Number number) { out->append(std::to_string(number)); }

// Text("rank ", 3, " of ", 4)
template <typename... Parts>
std::string Text(const Parts&... parts) {
  std::string out;
  (AppendText(&out, parts), ...);
  return out;
}

// "a, b and c"; "" for none.
std::string JoinNames(const std::vector<std::string>& names);

// The same of eight at most: "a, b, c, d, e, f, g and 5 more".
std::string SomeNames(std::vector<std::string> names);

// "1.5 GiB", "312 B".
std::string SizeText(uint64_t bytes);

// Three digits: "24.4 ms", "812 us", "12.3 s", "2 h 05 min".
std::string DurationText(uint64_t ns);

// "1,234,567".
std::string CountText(uint64_t count);
// "1 event", "2 events", "3 processes".
std::string Counted(uint64_t count, std::string_view word);

// Without characters that control a terminal, nor those that turn the direction of writing: '?' in
// their place, and in the place of each byte that is no UTF-8.
std::string PrintableText(std::string_view text);

// The same of a text of several lines: what ends them stays.
std::string PrintableLines(std::string_view text);

}  // namespace syncline
