// SPDX-License-Identifier: Apache-2.0
// One object for each function, with its signatures in the order of their first calls.
#include "writers/tables/signature_json.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/stable_sort.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr int kSignatureIndent = 1;

// Of a file that was changed: nothing.
Json Parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(nullptr) : json;
}

Json OneJson(const CallSignature& call) {
  Json json = {{"inputs", Parsed(call.inputs)}};
  if (!call.result.empty()) {
    const Json result = Parsed(call.result);
    const bool raised = result.is_object() && result.contains("raised");
    json[raised ? "raised" : "result"] = raised ? Json(true) : result;
  }
  if (!call.gradients.empty()) json["gradients"] = Parsed(call.gradients);
  if (call.duration_ns != 0) json["first_call_ms"] = static_cast<double>(call.duration_ns) / 1e6;
  return json;
}

}  // namespace

std::string SignatureJson(const RunFindings& findings) {
  std::map<RangeKey, std::vector<const CallSignature*>> functions;
  for (const auto& [key, call] : findings.signatures) functions[key.of].push_back(&call);
  if (functions.empty()) return "";
  Json array = Json::array();
  for (auto& [key, calls] : functions) {
    StableSort(&calls, [](const CallSignature* a, const CallSignature* b) {
      return a->begin_ns < b->begin_ns;
    });
    const auto sums = findings.ranges.find(key);
    Json one = {{"name", key.name}, {"domain", key.domain}, {"program", key.program}};
    one["calls"] = sums == findings.ranges.end() ? 0 : sums->second.count;
    one["signatures"] = Json::array();
    for (const CallSignature* call : calls) one["signatures"].push_back(OneJson(*call));
    array.push_back(std::move(one));
  }
  return JsonText({{"schema", kSignatureSchema}, {"functions", std::move(array)}},
                  kSignatureIndent);
}

}  // namespace syncline
