// SPDX-License-Identifier: Apache-2.0
// `syncline report DIR`: reads the findings of a run, prints its report and leaves it in
// DIR/report.

#include <algorithm>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/commands/compare_command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/evidence.h"
#include "launcher/show/kept_run.h"
#include "launcher/show/last_run.h"
#include "launcher/show/report_files.h"
#include "launcher/show/standard_output.h"
#include "launcher/start/program.h"
#include "report/sections.h"
#include "writers/findings/findings_file.h"
#include "writers/tables/report_csv.h"
#include "writers/tables/report_json.h"
#include "writers/tables/report_markdown.h"
#include "writers/tables/report_text.h"

namespace syncline {
namespace {

struct ReportLine {
  std::string directory;
  std::string format = "text";
  std::string kernel_classes;
  int finding = -1;  // its number; -1: all
  std::string sort;
  int limit = -1;  // rows; -1: as many as fit
  bool by_shape = false;
  bool by_line = false;
  std::string label;
  bool evidence = false;
  bool all = false;
  bool no_files = false;
  std::string diff;
};

const std::vector<std::string> kFormats = {"text", "json", "md", "csv", "findings"};

std::string InFormat(const Report& report, const ReportLine& line) {
  if (line.evidence) return EvidenceJson(report);
  if (line.format == "json") return ReportJson(report);
  if (line.format == "md") return ReportMarkdown(report);
  if (line.format == "csv") return ReportCsv(report);
  return ReportText(report, {TerminalColumns(), WantsColours(), line.all});
}

// False: said why.
bool ReadKernelClasses(const std::string& path, KernelPatterns* patterns) {
  if (path.empty()) return true;
  std::string text;
  if (const int error = ReadFile(path, &text); error != 0) {
    SayError(Text("cannot read the classes of kernels in ", ShellQuote(path), ": ",
                  ErrorText(error), ". Name a file with lines `class pattern`."));
    return false;
  }
  const Status status = patterns->Take(text, PrintableText(path));
  if (!status.ok()) SayError(Text(status.message(), "."));
  return status.ok();
}

// What is wrong with the options; empty: nothing.
std::string UnfitOptions(const ReportLine& line) {
  if (line.diff.empty() &&
      std::find(kFormats.begin(), kFormats.end(), line.format) == kFormats.end())
    return Text("there is no format ", ShellQuote(line.format), ": --format takes ",
                JoinNames(kFormats), ".");
  if (line.evidence && (line.finding < 0 || line.format != "json"))
    return "--evidence is of one finding, as JSON: add --finding N --format json.";
  if (line.finding >= 0 && line.format == "findings")
    return "--format findings has no numbered findings: --finding N takes the others.";
  if ((!line.sort.empty() || line.limit >= 0 || line.by_shape || line.by_line ||
       !line.label.empty()) &&
      line.format == "findings")
    return "--format findings has no tables: --sort, --limit, --by, --by-shape and --by-line take "
           "the "
           "others.";
  if (line.by_shape && line.by_line)
    return "--by-shape and --by-line are two tables: name one of them.";
  if (line.limit == 0) return "--limit 0 would show no row: name how many of each table.";
  return "";
}

// False: there is no such finding, which was said.
bool ChooseFinding(const ReportLine& line, Report* report) {
  const size_t count = report->findings.size();
  if (line.finding < 0 || KeepFinding(static_cast<size_t>(line.finding), report)) return true;
  SayError(Text("there is no finding ", line.finding, ": the report has ",
                count == 0   ? "none"
                : count == 1 ? "only finding 1"
                             : Text("findings 1 to ", count),
                line.all ? "." : ". --all has those that bring little, too."));
  return false;
}

// False: no table has the column that is named, which was said.
bool IsColumnThere(const ReportLine& line, const Report& report) {
  if (line.sort.empty() || HasColumn(report, line.sort)) return true;
  const std::vector<std::string> names = NamesOfColumns(report);
  const std::string nearest = NearestName(line.sort, names);
  SayError(Text("no table has a column ", ShellQuote(line.sort),
                nearest.empty() ? "" : Text(" (did you mean ", ShellQuote(nearest), "?)"),
                ". --sort takes ", JoinNames(names), "."));
  return false;
}

// False: none were recorded, which was said.
bool HasGroups(const ReportLine& line, const Report& report) {
  const bool no_shapes = line.by_shape && report.operator_shapes.empty();
  if (!no_shapes && !(line.by_line && report.operator_lines.empty())) return true;
  SayError(no_shapes ? "--by-shape: the run has no inputs of operators. Record it with `--torch "
                       "shapes` to have them."
                     : "--by-line: the run has no lines of operators. Record it with `--torch "
                       "lines` to have them.");
  return false;
}

// False: no range has it, which was said.
bool HasLabel(const ReportLine& line, const Report& report) {
  std::vector<std::string> names;
  for (const ReportLabel& row : report.labels) {
    if (std::find(names.begin(), names.end(), row.key.label) == names.end())
      names.push_back(row.key.label);
  }
  const auto is_there = std::find(names.begin(), names.end(), line.label) != names.end();
  if (line.label.empty() || is_there) return true;
  const std::string nearest = NearestName(line.label, names);
  SayError(Text("--by: no range has a label ", ShellQuote(line.label),
                nearest.empty() ? "" : Text(" (did you mean ", ShellQuote(nearest), "?)"),
                names.empty()
                    ? ". Record the run with `--python-ranges 'MODULE.FUNCTION(ARGUMENT)'` "
                      "to have labels, or give labels to the program's own regions."
                    : Text(". There are: ", PrintableText(SomeNames(names)), ".")));
  return false;
}

bool ParseLine(const Arguments& arguments, ReportLine* line, int* exit_code) {
  CommandLine words("report");
  words.OptionalWord("directory", &line->directory);
  words.Text("--format NAME", &line->format,
             "text, json, md or csv [text]; findings: all that was found, merged");
  words.Text("--kernel-classes FILE", &line->kernel_classes,
             "More patterns for kernels' names: lines `class pattern`");
  words.Text("--sort COLUMN", &line->sort,
             "Sort the tables that have it by that column, as it is called there");
  words.Number("--limit N", &line->limit, "Only so many rows of each table");
  words.Text(
      "--by LABEL", &line->label,
      "Ranges by the values of that label, where `--python-ranges 'FUNCTION(LABEL)'` kept it");
  words.Flag("--by-shape", &line->by_shape,
             "Operators by the sizes of their inputs, where `--torch shapes` recorded these");
  words.Flag("--by-line", &line->by_line,
             "Operators by the line that called them, where `--torch lines` recorded these");
  words.Number("--finding N", &line->finding, "Only that finding, by its number in the report");
  words.Flag("--evidence", &line->evidence,
             "With --finding N --format json: what stands behind it, at most 8 KiB");
  words.Flag("--all", &line->all,
             "All rows, findings that bring little, and the waits and gaps behind them");
  words.Text("--diff RUN", &line->diff,
             "What changed from DIR to that run: the same as `syncline compare DIR RUN`");
  words.Flag("--no-files", &line->no_files, "Leave nothing in DIR/report");
  if (!ParseCommandLine(&words, arguments, exit_code)) return false;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  const std::string error = UnfitOptions(*line);
  if (error.empty()) return true;
  SayError(error);
  *exit_code = kExitOurFailure;
  return false;
}

bool Print(const ReportLine& line, const Report& report, const RunFindings& findings,
           const RankMeetings& meetings) {
  StandardOutput out;
  Status status = line.format == "findings" ? WriteMergedFindings(findings, meetings, &out)
                                            : out.Write(InFormat(report, line));
  if (status.ok()) status = out.Flush();
  if (!status.ok()) SayError(status.message());
  return status.ok();
}

}  // namespace

int RunReportCommand(const Arguments& arguments) {
  ReportLine line;
  KernelPatterns patterns;
  int exit_code = 0;
  if (!ParseLine(arguments, &line, &exit_code)) return exit_code;
  if (!ReadKernelClasses(line.kernel_classes, &patterns)) return kExitOurFailure;
  if (!TakeLastRun(&line.directory)) return kExitOurFailure;
  if (!line.diff.empty())
    return CompareAndPrint({{line.directory}, {line.diff}, line.format, line.all});
  RecoverWhatIsLeft(line.directory);
  KeptRun run;
  if (!ReadKeptRun(line.directory, patterns, line.all, &run)) return kExitOurFailure;
  Report& report = run.report;
  if (!IsColumnThere(line, report) || !HasGroups(line, report) || !HasLabel(line, report) ||
      !ChooseFinding(line, &report))
    return kExitOurFailure;
  const bool to_write = !line.no_files && !report.only_finding;
  const bool written = !to_write || WriteReportFiles(line.directory, report);
  if (to_write) WriteSignatureFile(line.directory, run.findings);
  // Of what is printed, not of what lies in DIR/report.
  report.wish = {line.sort, static_cast<size_t>(std::max(line.limit, 0)),
                 line.by_shape  ? OperatorsBy::kShapes
                 : line.by_line ? OperatorsBy::kLine
                                : OperatorsBy::kName,
                 line.label};
  const bool printed = Print(line, report, run.findings, run.meetings);
  if (to_write && written)
    Say(Text("the page: ", ShellQuote(ReportFolder(line.directory) + "/report.html")));
  return run.whole && written && printed ? 0 : kExitOurFailure;
}

}  // namespace syncline
