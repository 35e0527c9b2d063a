// SPDX-License-Identifier: Apache-2.0
// For people summary.md and report.html, for programs timing.json, breakdown.json and one a stage.
#include "launcher/show/report_files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/run_file.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "writers/tables/html.h"
#include "writers/tables/report_json.h"
#include "writers/tables/report_markdown.h"
#include "writers/tables/signature_json.h"
#include "writers/tables/stage_breakdown.h"

namespace syncline {
namespace {

constexpr int kIsLink = -2;

using NamedText = std::pair<std::string, std::string>;

// Stages that an earlier report of this run had, and this one has under another name or not at all.
void RemoveOtherStages(const std::string& folder, const std::vector<NamedText>& files) {
  for (const std::string& name : ListDirectory(folder)) {
    const bool is_new = std::any_of(files.begin(), files.end(),
                                    [&](const NamedText& file) { return file.first == name; });
    std::string text;
    if (is_new || !name.ends_with(kStageBreakdownEnd)) continue;
    const std::string path = Text(folder, "/", name);
    if (ReadRunFile(path, kMostRunText, &text) == 0 &&
        text.find(kStageBreakdownSchema) != std::string::npos)
      unlink(path.c_str());
  }
}

std::string WhyNot(int error) {
  if (error == kPreparedByOther) return "another user has made the folder";
  return error == kIsLink ? "it is a link, which is not followed" : ErrorText(error);
}

// 0, or why there is no folder.
int MakeReportFolder(const std::string& folder) {
  const int error = MakeOwnDirectory(folder, 0700);
  return error == 0 && !IsRealDirectory(folder) ? kIsLink : error;
}

}  // namespace

std::string ReportFolder(const std::string& directory) { return directory + "/report"; }

bool WriteReportFiles(const std::string& directory, const Report& report) {
  const std::string folder = ReportFolder(directory);
  std::vector<NamedText> files = {{"summary.md", ReportMarkdown(report)},
                                  {"timing.json", TimingJson(report)},
                                  {"breakdown.json", BreakdownJson(report)},
                                  {"report.html", ReportHtml(report)}};
  for (NamedText& stage : StageBreakdowns(report)) files.push_back(std::move(stage));
  int error = MakeReportFolder(folder);
  if (error == 0) RemoveOtherStages(folder, files);
  std::vector<std::string> unwritten;
  for (const auto& [name, text] : files) {
    const int failure = error != 0 ? error : WriteFile(Text(folder, "/", name), text);
    if (failure == 0) continue;
    unwritten.push_back(name);
    error = failure;
  }
  if (unwritten.empty()) return true;
  SayWarning(Text("cannot write ", JoinNames(unwritten), " to ", ShellQuote(folder), ": ",
                  WhyNot(error), ". The report is printed all the same; --no-files writes none."));
  return false;
}

void WriteSignatureFile(const std::string& directory, const RunFindings& findings) {
  const std::string text = SignatureJson(findings);
  if (text.empty()) return;
  const std::string folder = ReportFolder(directory);
  int error = MakeReportFolder(folder);
  if (error == 0) error = WriteFile(Text(folder, "/", kSignatureFile), text);
  if (error != 0)
    SayWarning(Text("cannot write ", kSignatureFile, " to ", ShellQuote(folder), ": ",
                    WhyNot(error), "."));
}

}  // namespace syncline
