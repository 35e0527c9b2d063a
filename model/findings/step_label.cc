// SPDX-License-Identifier: Apache-2.0
// The first number counts steps, but for that of an epoch.
#include "model/findings/step_label.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "base/text.h"

namespace syncline {
namespace {

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "Epoch " is one.
bool IsEpoch(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (IsLetter(c)) word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return word == "epoch";
}

// From `at` on, of the first '#' that stands for a number: the program may have written one before
// it ("step #7" is "step ##").
size_t PlaceOfNumber(const std::string& series, size_t at) {
  at = series.find('#', at);
  while (at != std::string::npos && at + 1 < series.size() && series[at + 1] == '#') ++at;
  return at;
}

}  // namespace

std::string LabelOfStep(const std::string& series, uint64_t number) {
  size_t at = PlaceOfNumber(series, 0);
  if (at == std::string::npos) return Text(series, " ", number);
  if (IsEpoch(series.substr(0, at))) {
    const size_t next = PlaceOfNumber(series, at + 1);
    if (next == std::string::npos) return Text(series, " ", number);
    at = next;
  }
  return std::string(series).replace(at, 1, std::to_string(number));
}

}  // namespace syncline
