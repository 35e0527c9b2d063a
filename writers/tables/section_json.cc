// SPDX-License-Identifier: Apache-2.0
// One value at a time.
#include "writers/tables/section_json.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

struct JsonPrinter {
  ValueKind kind;

  Json operator()(Nothing) const {
    return kind == ValueKind::kText ? Json("") : kind == ValueKind::kShare ? Json(0.0) : Json();
  }
  Json operator()(Unknown) const { return nullptr; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(uint64_t number) const {
    return kind == ValueKind::kDuration ? Json(Milliseconds(number)) : Json(number);
  }
  Json operator()(int64_t number) const { return number; }
  Json operator()(double number) const {
    constexpr double kWhole = 9007199254740992.0, kTera = 1e12;
    if (kind == ValueKind::kFlopRate) return number / kTera;
    if (kind != ValueKind::kFlops && kind != ValueKind::kReal) return 100 * number;
    const bool whole = number >= 0 && number < kWhole && number == std::trunc(number);
    return whole ? Json(static_cast<uint64_t>(number)) : Json(number);
  }
  Json operator()(bool yes) const { return yes; }
  Json operator()(const Worded& told) const {
    // No number is known that could stand there.
    if (kind == ValueKind::kPeakShare || kind == ValueKind::kFlopRate) return nullptr;
    return told.words;
  }
};

// "gaps_ms.copy" is `copy` in the object `gaps_ms`.
void Put(std::string_view key, Json value, Json* object) {
  const size_t dot = key.find('.');
  if (dot == std::string_view::npos) {
    (*object)[std::string(key)] = std::move(value);
  } else {
    (*object)[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))] = std::move(value);
  }
}

}  // namespace

Json SectionJson(const Section& section) {
  Json array = Json::array();
  for (const auto& row : section.rows) {
    Json object = Json::object();
    for (size_t i = 0; i < row.size(); ++i) {
      const Column& column = section.columns[i];
      if ((column.places & kFile) == 0) continue;
      Put(column.key, std::visit(JsonPrinter{column.kind}, row[i]), &object);
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json DocumentJson(const char* schema, const Report& report) {
  return {{"schema", schema},
          {"directory", report.directory},
          {"devices_are", DevicesAre(report)},
          {"limits", report.limits},
          {"begin_ns", report.begin_ns},
          {"length_ms", Milliseconds(report.length_ns)}};
}

Json FindingsJson(const Report& report) {
  Json array = SectionJson(FindingsSection(report, {}));
  for (Json& row : array) {
    Json parts = Json::array();
    for (const ReportFinding& finding : report.findings) {
      if (finding.number != row["number"]) continue;
      for (const FindingPart& part : finding.parts)
        parts.push_back({{"what", part.what}, {"blocked_ms", Milliseconds(part.blocked_ns)}});
    }
    row["parts"] = std::move(parts);
  }
  return array;
}

}  // namespace syncline
