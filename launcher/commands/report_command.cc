// SPDX-License-Identifier: Apache-2.0
// `syncline report DIR`: reads the findings of a run, prints its report and leaves it in
// DIR/report.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/left_out_ranks.h"
#include "launcher/jobs/node_places.h"
#include "launcher/show/closing_lines.h"
#include "launcher/show/evidence.h"
#include "launcher/show/last_run.h"
#include "launcher/show/read_findings.h"
#include "launcher/show/report_files.h"
#include "launcher/start/program.h"
#include "report/report_builder.h"
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
};

const std::vector<std::string> kFormats = {"text", "json", "md", "csv", "findings"};

size_t TerminalColumns() {
  constexpr size_t kUnknown = 100, kMost = 1000;
  const char* told = Environment("COLUMNS");
  size_t columns = 0;
  if (told != nullptr) std::from_chars(told, told + std::strlen(told), columns);
  winsize size = {};
  if (columns == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kUnknown : std::min(columns, kMost);
}

// https://no-color.org: a variable that is set and not empty.
bool WantsColours() {
  const char* no_color = Environment("NO_COLOR");
  const char* terminal = Environment("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

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

// Ranks that have a mark in `directory`.
std::set<int> LeftOutRanks(const std::string& directory) {
  constexpr std::string_view kBefore = "rank-", kAfter = ".left-out";
  std::set<int> ranks;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    int rank = -1;
    const char* const end = name.data() + name.size() - kAfter.size();
    const auto [after, error] = std::from_chars(name.data() + kBefore.size(), end, rank);
    if (error == std::errc() && after == end && rank >= 0) ranks.insert(rank);
  }
  return ranks;
}

// Whether processes have left records, of which no trace was made.
bool HasSpools(const std::string& directory) {
  const std::string root = directory + "/run/spool";
  for (const std::string& node : ListDirectory(root)) {
    for (const std::string& name : ListDirectory(Text(root, "/", node))) {
      if (name.ends_with(".spool")) return true;
    }
  }
  return false;
}

constexpr char kToGetFindings[] =
    "Record the run again; if run/spool still holds its records, `syncline recover` writes them.";

// A report is made of findings, not of traces: which traces have none; empty: all have.
std::string GoneText(const std::string& directory) {
  const std::vector<std::string> bare = TracesWithoutFindings(directory);
  if (bare.empty()) return "";
  return Text("the findings of ", SomeNames(bare),
              " are gone (run/*.findings), of which a report is made. ", kToGetFindings);
}

// Why there are no findings, and what to do.
std::string NothingThere(const std::string& directory, bool running) {
  const std::string where = ShellQuote(directory);
  if (!IsDirectory(directory))
    return Text("there is no directory ", where,
                ". Name the directory that `syncline run` printed.");
  if (running) {
    return Text("the run in ", where, " is not over, and no rank has written its findings. Call ",
                "`syncline report` again when it is.");
  }
  if (const std::string gone = GoneText(directory); !gone.empty()) return gone;
  if (!IsDirectory(directory + "/run")) {
    return Text(where, " is not the directory of a run: it has no folder run/. Name the directory ",
                "that `syncline run` printed.");
  }
  return Text("there are no findings in ", where, ": nothing was recorded, or its traces are not ",
              "written yet. `syncline recover ", where, "` writes them.");
}

// As it is called in messages and in the report, wherever links lead.
std::string RealPath(const std::string& directory) {
  char path[PATH_MAX];
  return realpath(directory.c_str(), path) == nullptr ? AbsolutePath(directory) : path;
}

// What is wrong with the options; empty: nothing.
std::string UnfitOptions(const ReportLine& line) {
  if (std::find(kFormats.begin(), kFormats.end(), line.format) == kFormats.end())
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
  words.Flag("--no-files", &line->no_files, "Leave nothing in DIR/report");
  if (!ParseCommandLine(&words, arguments, exit_code)) return false;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  const std::string error = UnfitOptions(*line);
  if (error.empty()) return true;
  SayError(error);
  *exit_code = kExitOurFailure;
  return false;
}

class StandardOutput : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return Status();
    return Failure();
  }
  Status Flush() { return std::fflush(stdout) == 0 ? Status() : Failure(); }

 private:
  static Status Failure() {
    return Status::Error(Text("cannot write the report: ", ErrorText(errno), "."));
  }
};

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
  RecoverWhatIsLeft(line.directory);
  ReadRun run = ReadRunFindings(line.directory);
  const bool running = IsLauncherAtWork(line.directory);
  if (const std::string gone = GoneText(line.directory);
      !running && !gone.empty() && !run.findings.ranks.empty())
    run.problems.push_back(gone);
  for (const std::string& problem : run.problems) SayWarning(problem);
  if (run.findings.ranks.empty()) {
    SayError(NothingThere(line.directory, running));
    return kExitOurFailure;
  }
  const RankMeetings meetings = MeetingsOf(&run.findings);
  const bool all_read = run.problems.empty();
  Report report =
      BuildReport(run.findings, meetings, patterns,
                  {RealPath(line.directory), std::move(run.problems), LeftOutRanks(line.directory),
                   running, HasSpools(line.directory), line.all, FirstFailureText(line.directory)});
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
  const bool printed = Print(line, report, run.findings, meetings);
  if (to_write && written)
    Say(Text("the page: ", ShellQuote(ReportFolder(line.directory) + "/report.html")));
  return all_read && written && printed ? 0 : kExitOurFailure;
}

}  // namespace syncline
