// SPDX-License-Identifier: Apache-2.0
// A mark is a text: character 1, then the column's number.
#include "writers/findings/lifted_columns.h"

#include <algorithm>
#include <charconv>

namespace syncline {
namespace {

constexpr char kMark = 1;
constexpr std::string_view kMarkBegins = "\\u0001";
constexpr size_t kWorthIt = 15;  // shorter texts take no memory of their own
constexpr std::string_view kKeys[] = {"bucket",        "in_bucket", "begin_ns", "duration_ns",
                                      "number",        "sequence",  "kind",     "kernel",
                                      "launches",      "device_ns", "cpu_ns",   "own_launches",
                                      "own_device_ns", "own_cpu_ns"};

bool IsKey(std::string_view text) {
  return std::find(std::begin(kKeys), std::end(kKeys), text) != std::end(kKeys);
}

bool IsColumn(std::string_view text) {
  bool all = true;
  for (const char c : text) all = all && ((c >= '0' && c <= '9') || c == ' ' || c == '-');
  return all;
}

size_t SkipBlanks(std::string_view text, size_t at) {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
    ++at;
  return at;
}

}  // namespace

LiftedColumns::LiftedColumns(std::string_view text) {
  left_.reserve(text.size());
  size_t copied = 0;
  for (size_t at = text.find('"'); at < text.size(); at = text.find('"', at)) {
    const size_t end = AfterJsonText(text, at);
    const bool is_key = IsKey(text.substr(at + 1, end - at - 2));
    at = end;
    const size_t colon = is_key ? SkipBlanks(text, end) : text.size();
    if (colon >= text.size() || text[colon] != ':') continue;
    const size_t value = SkipBlanks(text, colon + 1);
    if (value >= text.size() || text[value] != '"') continue;
    const size_t after = AfterJsonText(text, value);
    at = value;
    if (after - value < kWorthIt + 2 || text[after - 1] != '"') continue;
    const std::string_view column = text.substr(value + 1, after - value - 2);
    if (!IsColumn(column)) continue;
    left_.append(text, copied, value + 1 - copied).append(kMarkBegins);
    left_.append(std::to_string(columns_.size()));
    columns_.push_back(column);
    copied = after - 1;
    at = after;
  }
  left_.append(text, copied);
}

std::string_view LiftedColumns::Of(const Json& object, const char* key) const {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  const std::string& text = found->get_ref<const std::string&>();
  if (text.empty() || text[0] != kMark) return text;
  size_t number = columns_.size();
  std::from_chars(text.data() + 1, text.data() + text.size(), number);
  return number < columns_.size() ? columns_[number] : std::string_view();
}

}  // namespace syncline
