// SPDX-License-Identifier: Apache-2.0
// `syncline check DIR --that EXPRESSION`: whether a run is as a contract says.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/check.h"
#include "contract/expression.h"
#include "contract/run_measures.h"
#include "contract/verdict_text.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/last_run.h"
#include "launcher/show/measured_run.h"
#include "launcher/show/program_files.h"
#include "launcher/start/program.h"
#include "report/measures.h"

namespace syncline {
namespace {

constexpr int kBrokenContract = 1;
constexpr int kUnread = -1;  // no exit status: nothing was printed yet

struct CheckLine {
  std::string directory;
  std::vector<std::string> that;
  std::vector<std::string> files;
  std::string base;
  std::string format = "text";
  bool measures = false;
};

const std::vector<std::string> kCheckFormats = {"text", "github", "junit", "json"};

// A line of a contract, and where it stands: "--that", "ci.contract:3".
struct Demand {
  std::string text;
  std::string from;
};

std::string_view WithoutBlanks(std::string_view text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string_view WithoutComment(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#') {
      return line.substr(0, i);
    }
  }
  return line;
}

// False: said why.
bool AddFile(const std::string& path, std::vector<Demand>* demands) {
  std::string text;
  if (const std::string error = ReadNamedFile(path, &text); !error.empty()) {
    SayError(Text("cannot read the contract ", ShellQuote(path), ": ", error, "."));
    return false;
  }
  constexpr size_t kMostRead = 1 << 20;  // more is no contract; ReadFile cuts what is far larger
  if (text.size() > kMostRead) {
    SayError(Text("the contract ", ShellQuote(path), " is larger than 1 MiB."));
    return false;
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = WithoutBlanks(std::string_view(text).substr(at, end - at));
    ++number;
    at = end + 1;
    // A comment may stand behind an expression; names within quotes may have that sign.
    const std::string_view bare = WithoutBlanks(WithoutComment(line));
    if (!bare.empty())
      demands->push_back({std::string(bare), Text(PrintableText(path), ":", number)});
  }
  return true;
}

// All that are none are told. False: one is none, or there are none; `nonsense`: what a document
// says of that.
bool ParseAll(const std::vector<Demand>& demands, std::vector<Expression>* expressions,
              std::vector<Verdict>* nonsense) {
  bool good = true;
  for (const Demand& demand : demands) {
    ExpressionError error;
    Verdict& verdict = nonsense->emplace_back(Verdict{demand.text});
    verdict.why = "nothing was measured, as another expression makes no sense";
    if (ParseExpression(demand.text, &expressions->emplace_back(), &error)) continue;
    verdict.why = error.message;
    verdict.note = Text(demand.from, ":\n", MarkedText(demand.text, error));
    SayError(Text(demand.from, ": ", error.message, "\n", MarkedText(demand.text, error)));
    good = false;
  }
  if (!demands.empty()) return good;
  SayError("there is nothing to check. Write: syncline check --that 'waits_per_step <= 2'");
  nonsense->emplace_back(Verdict{"--that"}).why = "there is nothing to check";
  return false;
}

// Directories are not walked through for nothing: only for a line at which nothing waits.
bool NeedsFiles(const std::vector<Expression>& expressions, const RunMeasures& run) {
  return std::any_of(expressions.begin(), expressions.end(), [&](const Expression& expression) {
    return expression.measure != nullptr && expression.of == MeasureOf::kLine &&
           std::none_of(run.waits.begin(), run.waits.end(), [&](const LineOfStep& line) {
             return IsLine(line.where, expression.place);
           });
  });
}

// `expressions`: for which files are looked for; of a base none. False: said why.
bool ReadMeasures(const std::string& directory, const std::vector<Expression>& expressions,
                  RunMeasures* measures) {
  KeptRun run;
  if (!ReadMeasuredRun(directory, &run)) return false;
  *measures = RunMeasuresOf(run.findings, run.report);
  if (!NeedsFiles(expressions, *measures)) return true;
  ProgramFiles files = FilesOfProgram(directory, run.report);
  measures->command_files = std::move(files.of_commands);
  measures->source_files = std::move(files.here);
  measures->package_files = std::move(files.of_packages);
  measures->has_all_sources = files.are_all;
  return true;
}

// Each once. False: one cannot be read, or is not named, which was said.
bool ReadBases(const CheckLine& line, const std::vector<Expression>& expressions,
               std::map<std::string, RunMeasures>* bases) {
  for (const Expression& expression : expressions) {
    if (!expression.needs_base()) continue;
    const std::string& directory = expression.base.empty() ? line.base : expression.base;
    if (directory.empty()) {
      SayError(Text("`", PrintableText(expression.text), "` needs a run to compare with: add ",
                    "--base DIR."));
      return false;
    }
    const auto [base, is_new] = bases->try_emplace(directory);
    if (is_new && !ReadMeasures(directory, {}, &base->second)) return false;
  }
  return true;
}

std::string InCheckFormat(const CheckLine& line, const std::vector<Verdict>& verdicts,
                          const RunMeasures& run) {
  if (line.format == "github") return VerdictsGithub(verdicts, run);
  if (line.format == "junit") return VerdictsJunit(verdicts, run);
  if (line.format == "json") return VerdictsJson(verdicts, run);
  return VerdictsText(verdicts, run);
}

const char* UnitWord(MeasureUnit unit) {
  switch (unit) {
    case MeasureUnit::kTime:
      return "time";
    case MeasureUnit::kBytes:
      return "bytes";
    case MeasureUnit::kShare:
      return "%";
    case MeasureUnit::kCount:
      break;
  }
  return "count";
}

// "waits_per_step  count  [at 'LINE'] [in 'STAGE']".
int PrintMeasures() {
  for (const MeasureFacts& facts : AllMeasures()) {
    const bool only_stages = std::string_view(facts.name).starts_with("stage_");
    const std::string place = only_stages ? " in 'STAGE'"
                                          : Text(facts.at_lines ? " [at 'LINE']" : "",
                                                 facts.in_stages ? " [in 'STAGE']" : "",
                                                 facts.by_causes ? " [by 'CAUSE']" : "");
    std::fputs(
        OptionLine(Text(facts.name, place), Text(UnitWord(facts.unit), ": ", facts.help)).c_str(),
        stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : kExitOurFailure;
}

bool ParseCheckLine(const Arguments& arguments, CheckLine* line, int* exit_code) {
  CommandLine words("check");
  words.OptionalWord("directory", &line->directory);
  words.Texts("--that EXPRESSION", &line->that,
              "What has to hold: 'waits_per_step <= 2'; may come several times");
  words.Texts("--file FILE", &line->files, "The same, one a line; # begins a comment");
  words.Text("--base DIR", &line->base,
             "The run that BASE stands for: 'step <= 1.05 x BASE', 'no new wait since BASE'");
  words.Text("--format NAME", &line->format, "text, github, junit or json [text]");
  words.Flag("--measures", &line->measures, "What can be measured, and in which unit");
  if (!ParseCommandLine(&words, arguments, exit_code)) return false;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  const auto known = std::find(kCheckFormats.begin(), kCheckFormats.end(), line->format);
  if (known != kCheckFormats.end()) return true;
  SayError(Text("there is no format ", ShellQuote(line->format), ": --format takes ",
                JoinNames(kCheckFormats), "."));
  *exit_code = kExitOurFailure;
  return false;
}

// False: said why.
bool Print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return true;
  SayError(Text("cannot write what came of the check: ", ErrorText(errno), "."));
  return false;
}

// What stderr says is all that people need. Who reads a document would take none for no tests.
int NothingMeasured(const CheckLine& line, const std::vector<Verdict>& verdicts) {
  RunMeasures none;
  none.name = line.directory.empty() ? "the last run" : line.directory;
  if (line.format != "text") Print(InCheckFormat(line, verdicts, none));
  return kExitOurFailure;
}

int CheckAll(const CheckLine& line, const std::vector<Expression>& expressions) {
  RunMeasures run;
  std::map<std::string, RunMeasures> bases;
  if (!ReadMeasures(line.directory, expressions, &run) || !ReadBases(line, expressions, &bases))
    return kUnread;
  std::vector<Verdict> verdicts;
  for (const Expression& expression : expressions) {
    const std::string& base = expression.base.empty() ? line.base : expression.base;
    verdicts.push_back(Check(expression, run, expression.needs_base() ? &bases[base] : nullptr));
  }
  const bool printed = Print(InCheckFormat(line, verdicts, run));
  const auto any = [&](Outcome outcome) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [&](const Verdict& verdict) { return verdict.outcome == outcome; });
  };
  if (!printed || any(Outcome::kUnknown)) return kExitOurFailure;
  return any(Outcome::kBroken) ? kBrokenContract : 0;
}

}  // namespace

int RunCheck(const Arguments& arguments) {
  CheckLine line;
  int exit_code = 0;
  if (!ParseCheckLine(arguments, &line, &exit_code)) return exit_code;
  if (line.measures) return PrintMeasures();
  std::vector<Demand> demands;
  for (const std::string& text : line.that) demands.push_back({text, "--that"});
  std::vector<Verdict> verdicts;
  for (const std::string& path : line.files) {
    if (AddFile(path, &demands)) continue;
    verdicts.emplace_back(Verdict{Text("--file ", path)}).why = "the contract cannot be read";
    return NothingMeasured(line, verdicts);
  }
  std::vector<Expression> expressions;
  if (!ParseAll(demands, &expressions, &verdicts)) return NothingMeasured(line, verdicts);
  if (TakeLastRun(&line.directory)) {
    RecoverWhatIsLeft(line.directory);
    if (const int status = CheckAll(line, expressions); status != kUnread) return status;
  }
  for (Verdict& verdict : verdicts)
    verdict.why =
        "nothing was measured, as a run could not be read: what stands on stderr says why";
  return NothingMeasured(line, verdicts);
}

}  // namespace syncline
