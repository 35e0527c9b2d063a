// SPDX-License-Identifier: Apache-2.0
// Patterns for functions, each with the arguments that label its calls:
// "serve.Engine.step(request_id, batch.size), *.decode".
#pragma once

#include <cstddef>
#include <string_view>

namespace syncline {

inline constexpr size_t kMostLabels = 8;       // of one pattern
inline constexpr size_t kMostLabelBytes = 63;  // of one label's name

struct LabelledPattern {
  std::string_view pattern;
  std::string_view labels;  // between the parentheses; empty: there are none
};

// The next one of a list that commas separate; `*list` is moved behind it. False: there is none. Of
// a list that has a LabelError the rest may be of no use.
bool NextLabelledPattern(std::string_view* list, LabelledPattern* out);

// The next of LabelledPattern::labels, "batch.size". Empty: there is none.
std::string_view NextLabel(std::string_view* labels);

// The next part of a label, "batch". Empty: there is none.
std::string_view NextPart(std::string_view* label);

// What is wrong, and where in the list. Null: nothing.
struct LabelError {
  const char* why;
  size_t at;
};
LabelError FindLabelError(std::string_view list);

}  // namespace syncline
