// SPDX-License-Identifier: Apache-2.0
// How far two names are apart, to tell the user which one was meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace syncline {

inline char LowerLetter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The edits between two names, whatever the case of their letters: one inserted, removed or
// changed, or two neighbours swapped. Only the first 127 characters of each count.
inline size_t EditDistance(const char* a, const char* b) {
  uint8_t rows[3][128];  // the last two, and the one that is being made; by turns
  const size_t height = strnlen(a, 127);
  const size_t columns = strnlen(b, 127);
  for (size_t j = 0; j <= columns; ++j) rows[0][j] = static_cast<uint8_t>(j);
  const auto less = [](int x, int y) { return x < y ? x : y; };
  const auto same = [&](size_t i, size_t j) { return LowerLetter(a[i]) == LowerLetter(b[j]); };
  for (size_t i = 1; i <= height; ++i) {
    const uint8_t* before = rows[(i - 1) % 3];
    const uint8_t* two_before = rows[(i + 1) % 3];
    uint8_t* row = rows[i % 3];
    row[0] = static_cast<uint8_t>(i);
    for (size_t j = 1; j <= columns; ++j) {
      int best =
          less(before[j - 1] + (same(i - 1, j - 1) ? 0 : 1), less(before[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1))
        best = less(best, two_before[j - 2] + 1);
      row[j] = static_cast<uint8_t>(best);
    }
  }
  return rows[height % 3][columns];
}

// Whether so many edits of a name of so many characters are a slip of the hand: a third of them at
// most. Further away is another word, and no guess is better than a wrong one.
inline bool IsSlip(size_t distance, size_t length) { return distance * 3 <= length; }

}  // namespace syncline
