// SPDX-License-Identifier: Apache-2.0
// `syncline doctor`: prints the checks, for people or for programs.
#include <algorithm>
#include <cstdio>

#include "inject/core/version.h"
#include "launcher/commands/command.h"
#include "launcher/commands/doctor_checks.h"
#include "launcher/host/build_text.h"
#include "launcher/host/shell_text.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

const char* HealthWord(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok";
    case Health::kLimited:
      return "limited";
    case Health::kBad:
      break;
  }
  return "no";
}

void PrintForPeople(const std::vector<CheckResult>& results) {
  for (const CheckResult& result : results) {
    std::printf("%-8s %-16s %s\n", HealthWord(result.health), result.name.c_str(),
                result.text.c_str());
    if (!result.remedy.empty()) std::printf("%-8s %-16s -> %s\n", "", "", result.remedy.c_str());
  }
}

void PrintJson(const std::vector<CheckResult>& results) {
  Json rows = Json::array();
  for (const CheckResult& result : results) {
    rows.push_back({{"name", result.name},
                    {"health", HealthWord(result.health)},
                    {"text", result.text},
                    {"remedy", result.remedy}});
  }
  const Json json = {{"schema", "syncline.doctor/1"},
                     {"version", kVersion},
                     {"commit", BuildCommit()},
                     {"checks", rows}};
  std::fputs(JsonText(json, 2).c_str(), stdout);
}

}  // namespace

int RunDoctor(const Arguments& arguments) {
  CommandLine words("doctor");
  bool json = false;
  words.Flag("--json", &json, "For programs");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  const std::vector<CheckResult> results = RunChecks();
  if (json) {
    PrintJson(results);
  } else {
    PrintForPeople(results);
  }
  const bool good = std::none_of(results.begin(), results.end(), [](const CheckResult& result) {
    return result.health == Health::kBad;
  });
  return good ? 0 : 1;
}

}  // namespace syncline
