// SPDX-License-Identifier: Apache-2.0
// A comma within parentheses separates labels, another one patterns.
#include "inject/core/labelled_patterns.h"

namespace syncline {
namespace {

constexpr std::string_view kBlanks = " \t";

// As substr, which the library cannot have: it may throw. `begin` is within the text.
constexpr std::string_view Slice(std::string_view text, size_t begin,
                                 size_t bytes = std::string_view::npos) {
  text.remove_prefix(begin);
  return {text.data(), bytes < text.size() ? bytes : text.size()};
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return Slice(text, begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// As Python's names are, where what is beyond ASCII may be a letter.
bool IsName(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_letter && c != '_' && c < 0x80 && !(is_digit && i != 0)) return false;
  }
  return !text.empty();
}

bool IsPath(std::string_view label) {
  for (;;) {
    const size_t dot = label.find('.');
    if (!IsName(Slice(label, 0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    label.remove_prefix(dot + 1);
  }
}

// Behind what the commas outside of parentheses end.
size_t EndOfPattern(std::string_view list) {
  size_t open = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(') ++open;
    if (list[i] == ')' && open != 0) --open;
    if (list[i] == ',' && open == 0) return i;
  }
  return list.size();
}

const char* ProblemOfLabel(std::string_view label) {
  if (label.empty()) return "a label is missing";
  if (!IsPath(label)) return "a label is the name of an argument, or such a name and attributes";
  return label.size() > kMostLabelBytes ? "a label has 63 characters at most" : nullptr;
}

// `at`: where `labels` begin in the list.
LabelError ErrorInLabels(std::string_view labels, size_t at) {
  for (size_t count = 1;; ++count) {
    const size_t comma = labels.find(',');
    const std::string_view label = Slice(labels, 0, comma);
    const size_t begin = label.find_first_not_of(kBlanks);
    const size_t place = at + (begin == std::string_view::npos ? 0 : begin);
    if (const char* why = ProblemOfLabel(Trimmed(label))) return {why, place};
    if (count > kMostLabels) return {"a pattern has 8 labels at most", place};
    if (comma == std::string_view::npos) return {nullptr, 0};
    labels.remove_prefix(comma + 1);
    at += comma + 1;
  }
}

// `at`: where `text`, which one pattern is, begins in the list.
LabelError ErrorInPattern(std::string_view text, size_t at) {
  const size_t open = text.find('(');
  const size_t close = text.find(')');
  if (open == std::string_view::npos && close == std::string_view::npos) return {nullptr, 0};
  if (close < open) return {"a parenthesis is closed that is not open", at + close};
  if (Trimmed(Slice(text, 0, open)).empty())
    return {"a pattern is missing before the parenthesis", at + open};
  if (close == std::string_view::npos) return {"a parenthesis is not closed", at + open};
  const size_t again = text.find('(', open + 1);
  if (again < close) return {"a parenthesis is within another one", at + again};
  const size_t behind = text.find_first_not_of(kBlanks, close + 1);
  if (behind != std::string_view::npos)
    return {"a comma is missing behind the parenthesis", at + behind};
  return ErrorInLabels(Slice(text, open + 1, close - open - 1), at + open + 1);
}

}  // namespace

bool NextLabelledPattern(std::string_view* list, LabelledPattern* out) {
  *out = {};
  while (!list->empty() && out->pattern.empty()) {
    const size_t end = EndOfPattern(*list);
    const std::string_view text = Slice(*list, 0, end);
    list->remove_prefix(end == list->size() ? end : end + 1);
    const size_t open = text.find('(');
    out->pattern = Trimmed(Slice(text, 0, open));
    if (open == std::string_view::npos) continue;
    out->labels = Slice(text, open + 1, text.find(')', open) - open - 1);
  }
  return !out->pattern.empty();
}

std::string_view NextLabel(std::string_view* labels) {
  const size_t comma = labels->find(',');
  const std::string_view label = Trimmed(Slice(*labels, 0, comma));
  labels->remove_prefix(comma == std::string_view::npos ? labels->size() : comma + 1);
  return label;
}

std::string_view NextPart(std::string_view* label) {
  const size_t dot = label->find('.');
  const std::string_view part = Slice(*label, 0, dot);
  label->remove_prefix(dot == std::string_view::npos ? label->size() : dot + 1);
  return part;
}

LabelError FindLabelError(std::string_view list) {
  size_t at = 0;
  while (at < list.size()) {
    const size_t end = EndOfPattern(Slice(list, at));
    const LabelError error = ErrorInPattern(Slice(list, at, end), at);
    if (error.why != nullptr) return error;
    at += end + 1;
  }
  return {nullptr, 0};
}

}  // namespace syncline
