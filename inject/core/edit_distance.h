// SPDX-License-Identifier: Apache-2.0
// How far two names are apart, to tell the user which one was meant.
#pragma once

#include <cstddef>
#include <cstring>

namespace syncline {

// Levenshtein distance of two short names; of the second only the first 127 characters count.
inline size_t EditDistance(const char* a, const char* b) {
  size_t row[128];
  const size_t columns = strnlen(b, 127);
  for (size_t j = 0; j <= columns; ++j) row[j] = j;
  for (size_t i = 1; a[i - 1] != '\0'; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= columns; ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      const size_t insert = row[j - 1] + 1;
      const size_t remove = row[j] + 1;
      row[j] = insert < remove ? insert : remove;
      if (change < row[j]) row[j] = change;
    }
  }
  return row[columns];
}

}  // namespace syncline
