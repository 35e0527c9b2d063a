// SPDX-License-Identifier: Apache-2.0
// The only file that compiles the JSON library's parser of whole documents, and its printer.
#include "writers/files/json_fields.h"

namespace syncline {

namespace {

// Past the text whose opening quote is at `at`; the end where it has no closing one.
size_t AfterJsonText(std::string_view text, size_t at) {
  for (size_t end = at + 1; (end = text.find('"', end)) != std::string_view::npos; ++end) {
    size_t slashes = 0;
    while (text[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return end + 1;
  }
  return text.size();
}

// Whether no value lies deeper.
bool IsShallow(std::string_view text, int deepest) {
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = AfterJsonText(text, at);
      continue;
    }
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth >= deepest) return false;
    ++at;
  }
  return true;
}

}  // namespace

// The library is faster where it need not ask of each value whether it is wanted.
Json ParseJson(std::string_view text, int deepest) {
  if (IsShallow(text, deepest)) return Json::parse(text, nullptr, false);
  const auto shallow = [deepest](int depth, Json::parse_event_t, const Json&) {
    return depth < deepest;
  };
  return Json::parse(text, shallow, false);
}

std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
