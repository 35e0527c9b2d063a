// SPDX-License-Identifier: Apache-2.0
// `syncline compare A B`, `syncline compare A... -- B...`: what changed from some runs to others.
#include "launcher/commands/compare_command.h"

#include <algorithm>

#include "base/text.h"
#include "compare/comparison.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/kept_run.h"
#include "launcher/show/standard_output.h"
#include "launcher/start/program.h"
#include "writers/tables/compare_html.h"
#include "writers/tables/compare_json.h"
#include "writers/tables/compare_markdown.h"
#include "writers/tables/compare_text.h"

namespace syncline {
namespace {

const std::vector<std::string> kComparisonFormats = {"text", "md", "json", "html"};

// What is wrong with the words; empty: nothing.
std::string UnfitWords(const CompareWish& wish, bool separated) {
  if (!wish.before.empty() && !wish.after.empty()) return "";
  if (separated) return "name a run on each side of --: syncline compare A1 A2 -- B1 B2.";
  return "name two runs: syncline compare A B; of several each, syncline compare A1 A2 -- B1 B2.";
}

bool ReadSide(const std::vector<std::string>& directories, std::vector<RunFacts>* runs,
              bool* whole) {
  for (const std::string& directory : directories) {
    RecoverWhatIsLeft(directory);
    KeptRun run;
    if (!ReadKeptRun(directory, {}, true, &run)) return false;
    runs->push_back(FactsOf(run.findings, run.report));
    *whole = *whole && run.whole;
  }
  return true;
}

std::string InFormat(const Comparison& comparison, const CompareWish& wish) {
  if (wish.format == "json") return ComparisonJson(comparison);
  if (wish.format == "md") return ComparisonMarkdown(comparison);
  if (wish.format == "html") return ComparisonHtml(comparison);
  return ComparisonText(comparison, {TerminalColumns(), WantsColours(), wish.all});
}

}  // namespace

std::string UnfitFormat(const CompareWish& wish) {
  if (std::find(kComparisonFormats.begin(), kComparisonFormats.end(), wish.format) !=
      kComparisonFormats.end())
    return "";
  return Text("there is no format ", ShellQuote(wish.format), " of a comparison: --format takes ",
              JoinNames(kComparisonFormats), ".");
}

int CompareAndPrint(const CompareWish& wish) {
  if (const std::string error = UnfitFormat(wish); !error.empty()) {
    SayError(error);
    return kExitOurFailure;
  }
  std::vector<RunFacts> before, after;
  bool whole = true;
  if (!ReadSide(wish.before, &before, &whole) || !ReadSide(wish.after, &after, &whole))
    return kExitOurFailure;
  StandardOutput out;
  Status status = out.Write(InFormat(CompareRuns(before, after), wish));
  if (status.ok()) status = out.Flush();
  if (!status.ok()) SayError(status.message());
  return whole && status.ok() ? 0 : kExitOurFailure;
}

int RunCompare(const Arguments& arguments) {
  CompareWish wish;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool separated = separator != arguments.end();
  if (separated) wish.after.assign(separator + 1, arguments.end());
  CommandLine words("compare");
  words.OptionalWords("runs", &wish.before);
  words.Text("--format NAME", &wish.format, "text, md, json or html [text]");
  words.Flag("--all", &wish.all, "All rows and changes");
  int exit_code = 0;
  if (!ParseCommandLine(&words, {arguments.begin(), separator}, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!separated && wish.before.size() == 2) {
    wish.after = {wish.before.back()};
    wish.before.pop_back();
  }
  if (const std::string error = UnfitWords(wish, separated); !error.empty()) {
    SayError(error);
    return kExitOurFailure;
  }
  return CompareAndPrint(wish);
}

}  // namespace syncline
