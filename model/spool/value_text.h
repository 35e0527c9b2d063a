// SPDX-License-Identifier: Apache-2.0
// What the words of a call's details say (inject/core/value_words.h), as texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct LabelText {
  std::string name;
  std::string json;   // 7, 0.5, true, null, "a text"
  std::string plain;  // as people read it: 7, 0.5, True, None, a text, int64[2, 7]
};

// JSON as report/io_signature.json has it (docs/python-ranges.md).
struct DetailsText {
  std::vector<LabelText> labels;
  std::string inputs;     // an array; empty: there is no signature
  std::string result;     // a value; empty: it is not known
  std::string gradients;  // whether they are kept: true, false; empty: not known
  // Of the inputs, without what calls of one form may have different: numbers and texts.
  std::string form;
};

// `bytes` may be anything: what is not whole is left out.
DetailsText DetailsOf(std::string_view bytes);

// The labels alone.
std::vector<LabelText> LabelsOf(std::string_view bytes);

// As people read them. What is no UTF-8 is replaced, as Unicode does.
std::string TextOfReal(double value);
std::string ValidUtf8(std::string_view text);

}  // namespace syncline
