// SPDX-License-Identifier: Apache-2.0
// Names of stages are any bytes, and may differ in such only as no name of a file has.
#include "writers/tables/stage_breakdown.h"

#include <cctype>
#include <set>

#include "base/text.h"
#include "report/stage_kernels.h"
#include "writers/tables/section_json.h"

namespace syncline {
namespace {

constexpr int kIndentOfStage = 1;
constexpr size_t kLongestStageName = 80;

bool IsOfFileNames(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
}

// "train step #" -> "train_step".
std::string PlainName(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (plain.size() == kLongestStageName) break;
    if (IsOfFileNames(c)) {
      plain += c;
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  while (!plain.empty() && plain.back() == '_') plain.pop_back();
  const size_t first = plain.find_first_not_of('.');  // no hidden file
  return first == std::string::npos ? "stage" : plain.substr(first);
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Some file systems make no difference between capitals and others.
std::string NewName(const std::string& name, std::set<std::string>* taken) {
  std::string unlike = name;
  for (int number = 2; !taken->insert(LowerCase(unlike)).second; ++number)
    unlike = Text(name, "-", number);
  return unlike;
}

std::string StageText(const Report& report, const ReportStageKernels& stage) {
  const LaunchSums sums = LaunchesOfStage(stage);
  Json json = DocumentJson(kStageBreakdownSchema, report);
  json["stage"] = stage.key.name;
  json["domain"] = stage.key.domain;
  json["source"] = stage.key.source;
  if (!stage.key.program.empty()) json["program"] = stage.key.program;
  json["launches"] = sums.launches;
  json["device_ms"] = Milliseconds(sums.device_ns);
  json["cpu_ms"] = Milliseconds(sums.cpu_ns);
  json["kernels"] = SectionJson(KernelsOfStageSection(stage));
  return JsonText(json, kIndentOfStage);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> StageBreakdowns(const Report& report) {
  std::vector<std::pair<std::string, std::string>> files;
  std::set<std::string> taken;
  for (const ReportStageKernels& stage : report.stage_kernels) {
    if (files.size() == kMostStageBreakdowns) break;
    files.emplace_back(Text(NewName(PlainName(stage.key.name), &taken), kStageBreakdownEnd),
                       StageText(report, stage));
  }
  return files;
}

}  // namespace syncline
