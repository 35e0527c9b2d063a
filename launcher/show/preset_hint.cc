// SPDX-License-Identifier: Apache-2.0
// Where a line leads into a package, its findings say so: "train.py:9 main(), in
// diffusers/pipelines/x.py:1 f()".
#include "launcher/show/preset_hint.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace syncline {
namespace {

bool LeadsInto(std::string_view place, std::string_view package) {
  const std::string folder = Text(package, "/");
  return place.starts_with(folder) || place.find(Text(", in ", folder)) != std::string_view::npos;
}

bool IsUsed(const RunFindings& findings, std::string_view package) {
  return std::any_of(findings.waits.begin(), findings.waits.end(),
                     [&](const auto& wait) { return LeadsInto(wait.first.where, package); }) ||
         std::any_of(findings.gaps.begin(), findings.gaps.end(), [&](const auto& gap) {
           const LinesBetween& lines = gap.first.lines;
           return LeadsInto(lines.before, package) || LeadsInto(lines.next, package) ||
                  LeadsInto(lines.below, package);
         });
}

bool IsAnyUsed(const RunFindings& findings, std::string_view packages) {
  while (!packages.empty()) {
    const size_t comma = std::min(packages.find(", "), packages.size());
    if (IsUsed(findings, packages.substr(0, comma))) return true;
    packages.remove_prefix(std::min(comma + 2, packages.size()));
  }
  return false;
}

}  // namespace

const Preset* PresetWith(const std::string& pattern) {
  for (const Preset* preset = kPresets; preset->name != nullptr; ++preset) {
    const std::string_view text = preset->text;
    for (const char* end : {"\"", "("}) {
      if (text.find(Text("\"", pattern, end)) != std::string_view::npos) return preset;
    }
  }
  return nullptr;
}

std::string PresetHint(const RunFindings& findings) {
  std::vector<std::string> names;
  std::string list;
  for (const Preset* preset = kPresets; preset->name != nullptr; ++preset) {
    if (!IsAnyUsed(findings, preset->package)) continue;
    names.emplace_back(preset->name);
    list += (list.empty() ? "" : ",") + names.back();
  }
  if (names.empty()) return "";
  return Text("the program uses ", JoinNames(names), ": `--preset ", list, "` shows its stages");
}

}  // namespace syncline
