// SPDX-License-Identifier: Apache-2.0
// The only file that compiles the JSON library's parser and printer.
#include "writers/json_fields.h"

namespace syncline {

Json ParseJson(std::string_view text, int deepest) {
  const auto shallow = [deepest](int depth, Json::parse_event_t, const Json&) {
    return depth < deepest;
  };
  return Json::parse(text, shallow, false);
}

std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace syncline
