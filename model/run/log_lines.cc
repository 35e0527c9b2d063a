// SPDX-License-Identifier: Apache-2.0
// Lines of a log by their words.
#include "model/run/log_lines.h"

namespace syncline {
namespace {

constexpr std::string_view kWarning = "warn: ";
constexpr std::string_view kExpected = " will not be recorded: ";
constexpr std::string_view kHappened = " not recorded by ";

bool Has(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

template <typename Wanted>
std::vector<std::string> Warnings(std::string_view log, Wanted wanted) {
  std::vector<std::string> found;
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(line.size() == log.size() ? line.size() : line.size() + 1);
    if (!line.starts_with(kWarning)) continue;
    line.remove_prefix(kWarning.size());
    if (wanted(line)) found.emplace_back(line);
  }
  return found;
}

}  // namespace

std::vector<std::string> MissingByLog(std::string_view log) {
  return Warnings(log, [](auto line) { return Has(line, kExpected) || Has(line, kHappened); });
}

std::vector<std::string> LostByLog(std::string_view log) {
  return Warnings(log, [](auto line) { return Has(line, kHappened); });
}

}  // namespace syncline
