// SPDX-License-Identifier: Apache-2.0
// `syncline compare A B`, `syncline compare A... -- B...`: what changed from some runs to others.
#include "launcher/commands/compare_command.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

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

// Options may stand behind the runs of either side. False: said why, or --help.
bool ParseWords(const Arguments& arguments, CompareWish* wish, std::vector<std::string>* runs,
                int* exit_code) {
  CommandLine words("compare");
  words.OptionalWords("runs", runs);
  words.Text("--format NAME", &wish->format, "text, md, json or html [text]");
  words.Flag("--all", &wish->all, "All rows and changes");
  return ParseCommandLine(&words, arguments, exit_code);
}

// A run that is named twice would lend its numbers a certainty that they do not have.
std::string NamedTwice(const std::vector<std::string>& directories) {
  std::set<std::string> known;
  for (const std::string& directory : directories) {
    std::error_code error;
    const std::string path = std::filesystem::weakly_canonical(directory, error).string();
    if (!known.insert(path).second)
      return Text("the run ", ShellQuote(directory), " is named twice on one side: name runs that ",
                  "were recorded one after the other.");
  }
  return "";
}

// What is kept of a side's runs: a job of a thousand ranks is not held in memory for the others.
struct ComparedRuns {
  std::vector<RunFacts> by_steps, by_runs;
  bool whole = true;  // all files could be read
  bool has_steps = true;
};

// False: said why.
bool ReadSide(const std::vector<std::string>& directories, ComparedRuns* side) {
  if (const std::string error = NamedTwice(directories); !error.empty()) {
    SayError(error);
    return false;
  }
  for (const std::string& directory : directories) {
    RecoverWhatIsLeft(directory);
    KeptRun run;
    if (!ReadKeptRun(directory, {}, true, &run)) return false;
    side->by_steps.push_back(FactsOf(run.findings, run.report, true));
    side->by_runs.push_back(FactsOf(run.findings, run.report, false));
    side->whole = side->whole && run.whole;
    side->has_steps = side->has_steps && HasSteps(run.report);
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
  ComparedRuns before, after;
  if (!ReadSide(wish.before, &before) || !ReadSide(wish.after, &after)) return kExitOurFailure;
  const Comparison comparison = before.has_steps && after.has_steps
                                    ? CompareRuns(before.by_steps, after.by_steps)
                                    : CompareRuns(before.by_runs, after.by_runs);
  StandardOutput out;
  Status status = out.Write(InFormat(comparison, wish));
  if (status.ok()) status = out.Flush();
  if (!status.ok()) SayError(status.message());
  return before.whole && after.whole && status.ok() ? 0 : kExitOurFailure;
}

int RunCompare(const Arguments& arguments) {
  CompareWish wish;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool separated = separator != arguments.end();
  int exit_code = 0;
  if (!ParseWords({arguments.begin(), separator}, &wish, &wish.before, &exit_code) ||
      (separated && !ParseWords({separator + 1, arguments.end()}, &wish, &wish.after, &exit_code)))
    return exit_code;
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
