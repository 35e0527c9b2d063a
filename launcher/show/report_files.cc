// SPDX-License-Identifier: Apache-2.0
// For people summary.md and report.html, for programs timing.json and breakdown.json.
#include "launcher/show/report_files.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "writers/tables/html.h"
#include "writers/tables/report_json.h"
#include "writers/tables/report_markdown.h"

namespace syncline {
namespace {

constexpr int kIsLink = -2;

std::string WhyNot(int error) {
  if (error == kPreparedByOther) return "another user has made the folder";
  return error == kIsLink ? "it is a link, which is not followed" : ErrorText(error);
}

}  // namespace

std::string ReportFolder(const std::string& directory) { return directory + "/report"; }

bool WriteReportFiles(const std::string& directory, const Report& report) {
  const std::string folder = ReportFolder(directory);
  const std::pair<const char*, std::string (*)(const Report&)> files[] = {
      {"summary.md", ReportMarkdown},
      {"timing.json", TimingJson},
      {"breakdown.json", BreakdownJson},
      {"report.html", ReportHtml}};
  int error = MakeOwnDirectory(folder, 0700);
  if (error == 0 && !IsRealDirectory(folder)) error = kIsLink;
  std::vector<std::string> unwritten;
  for (const auto& [name, write] : files) {
    const int failure = error != 0 ? error : WriteFile(Text(folder, "/", name), write(report));
    if (failure == 0) continue;
    unwritten.emplace_back(name);
    error = failure;
  }
  if (unwritten.empty()) return true;
  SayWarning(Text("cannot write ", JoinNames(unwritten), " to ", ShellQuote(folder), ": ",
                  WhyNot(error), ". The report is printed all the same; --no-files writes none."));
  return false;
}

}  // namespace syncline
