// SPDX-License-Identifier: Apache-2.0
// Patterns for names, as shells have them: * is any text, ? is any character.
#pragma once

#include <cstddef>
#include <string_view>

namespace syncline {

// Whether the whole of `text` fits. Time: at most the product of both lengths; no recursion.
constexpr bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t at = 0, in_text = 0;
  size_t star = std::string_view::npos, star_text = 0;  // the last *, and where its text ends
  while (in_text < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      star_text = in_text;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in_text])) {
      ++at;
      ++in_text;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in_text = ++star_text;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace syncline
