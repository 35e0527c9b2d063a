// SPDX-License-Identifier: Apache-2.0
// Names are those of the program that was recorded: each format makes them harmless in its own way.
#include "contract/verdict_text.h"

#include <algorithm>
#include <string_view>

#include "base/log_commands.h"
#include "base/text.h"
#include "base/utf8.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr char kSchema[] = "syncline.check/1";
constexpr int kIndent = 1;

size_t CountOf(const std::vector<Verdict>& verdicts, Outcome outcome) {
  return static_cast<size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [&](const Verdict& verdict) { return verdict.outcome == outcome; }));
}

// "2.5", of a line in a step.
std::string RateText(double value) { return MeasureText(*FindMeasure("waits_per_step"), value); }

// "train.py:38 main(): loss.item()".
std::string LineText(const LineOfStep& line) {
  return PrintableText(line.statement.empty() ? line.where
                                              : Text(line.where, ": ", line.statement));
}

// "measured 3, which is not <= 2".
std::string WhatText(const Verdict& verdict) {
  if (verdict.outcome == Outcome::kUnknown) return Text("not known: ", verdict.why);
  if (verdict.unit == "count" && verdict.wanted == "none") return verdict.measured;
  return verdict.outcome == Outcome::kHolds
             ? verdict.measured
             : Text("measured ", verdict.measured, ", wanted ", verdict.wanted);
}

std::string Indented(std::string_view lines, const char* indent) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    text += Text(indent, PrintableText(lines.substr(0, end)), "\n");
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

std::string LinesText(const Verdict& verdict, const char* indent) {
  std::string text;
  for (const LineOfStep& line : verdict.lines) {
    text += Text(indent, RateText(line.value), " ", verdict.lines_are, " at ", LineText(line),
                 line.ways.empty() ? "" : Text(" (", PrintableText(line.ways), ")"), "\n");
  }
  if (verdict.lines_of > verdict.lines.size())
    text += Text(indent, "and ", verdict.lines_of - verdict.lines.size(), " more lines\n");
  if (!verdict.hint.empty()) text += Text(indent, verdict.hint, "\n");
  return text + Indented(verdict.note, indent);
}

// Behind a command or in an element: without the end of the last line.
std::string WhatAndLines(const Verdict& verdict) {
  std::string text = Text(WhatText(verdict), "\n", LinesText(verdict, ""));
  text.pop_back();
  return text;
}

std::string Summary(const std::vector<Verdict>& verdicts) {
  const size_t broken = CountOf(verdicts, Outcome::kBroken);
  const size_t unknown = CountOf(verdicts, Outcome::kUnknown);
  return Text(verdicts.size() - broken - unknown, " of ", verdicts.size(), " hold",
              broken == 0 ? "" : Text(", ", broken, " broken"),
              unknown == 0 ? "" : Text(", ", unknown, " not known"));
}

// "steps: 20 of `step #`, 5 of `batch #`": what was counted.
std::string StepsText(const RunMeasures& run) {
  constexpr size_t kMostKinds = 4;
  std::string text;
  for (size_t i = 0; i < std::min(run.steps.size(), kMostKinds); ++i)
    text += Text(text.empty() ? "steps: " : ", ", CountText(run.steps[i].second), " of `",
                 PrintableText(run.steps[i].first), "`");
  if (run.steps.size() > kMostKinds) text += " and others";
  return text.empty() ? "no steps" : text;
}

Json StepsJson(const RunMeasures& run) {
  Json kinds = Json::array();
  for (const auto& [name, count] : run.steps) kinds.push_back({{"name", name}, {"count", count}});
  return kinds;
}

// Of a message; of a property `:` and `,`, too.
std::string Escaped(std::string_view text, bool is_property) {
  std::string escaped;
  for (const char c : PrintableLines(text)) {
    if (c == '%')
      escaped += "%25";
    else if (c == '\r')
      escaped += "%0D";
    else if (c == '\n')
      escaped += "%0A";
    else if (is_property && c == ':')
      escaped += "%3A";
    else if (is_property && c == ',')
      escaped += "%2C";
    else
      escaped += c;
  }
  return escaped;
}

std::string GithubError(const LineOfStep* line, const std::string& title,
                        const std::string& message) {
  std::string command = "::error ";
  const LinePlace place = line == nullptr ? LinePlace() : PlaceOf(line->where);
  if (!place.file.empty())
    command += Text("file=", Escaped(place.file, true), ",line=", place.line, ",");
  return Text(command, "title=", Escaped(title, true), "::", Escaped(message, false), "\n");
}

// Also without what XML 1.0 has no place for: PrintableText leaves only noncharacters of that.
std::string XmlText(std::string_view text) {
  std::string escaped;
  const std::string printable = PrintableLines(text);
  for (std::string_view rest = printable; !rest.empty();) {
    const std::string_view next = rest.substr(0, NextChar(rest).bytes);
    rest.remove_prefix(next.size());
    if (next == "&")
      escaped += "&amp;";
    else if (next == "<")
      escaped += "&lt;";
    else if (next == ">")
      escaped += "&gt;";
    else if (next == "\"")
      escaped += "&quot;";
    else if (next == "\n")
      escaped += "&#10;";
    else if (next == "\xef\xbf\xbe" || next == "\xef\xbf\xbf")
      escaped += "?";
    else
      escaped += next;
  }
  return escaped;
}

Json LinesJson(const Verdict& verdict) {
  Json lines = Json::array();
  for (const LineOfStep& line : verdict.lines) {
    const LinePlace place = PlaceOf(line.where);
    lines.push_back({{"where", line.where},
                     {"file", place.file},
                     {"line", place.line},
                     {"function", place.function},
                     {"statement", line.statement},
                     {"per_step", line.value},
                     {"calls", line.ways}});
  }
  return lines;
}

}  // namespace

std::string VerdictsText(const std::vector<Verdict>& verdicts, const RunMeasures& run) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    const char* const head = verdict.outcome == Outcome::kHolds    ? "holds   "
                             : verdict.outcome == Outcome::kBroken ? "BROKEN  "
                                                                   : "UNKNOWN ";
    text += Text(head, PrintableText(verdict.expression), "\n        ",
                 PrintableText(WhatText(verdict)), "\n", LinesText(verdict, "        "));
  }
  text += Text(PrintableText(run.name), ": ", Summary(verdicts), "; ", StepsText(run), "\n");
  return WithoutLogCommands(text);
}

std::string VerdictsGithub(const std::vector<Verdict>& verdicts, const RunMeasures& run) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::kHolds) continue;
    const std::string title = Text("syncline: ", verdict.expression);
    const std::string what = WhatText(verdict);
    if (verdict.lines.empty()) text += GithubError(nullptr, title, WhatAndLines(verdict));
    for (const LineOfStep& line : verdict.lines)
      text += GithubError(
          &line, title,
          Text(RateText(line.value), " ", verdict.lines_are, " at ", LineText(line), "\n", what));
  }
  return text + VerdictsText(verdicts, run);
}

std::string VerdictsJunit(const std::vector<Verdict>& verdicts, const RunMeasures& run) {
  std::string text = Text(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"syncline ",
      "check\" tests=\"", verdicts.size(), "\" failures=\"", CountOf(verdicts, Outcome::kBroken),
      "\" errors=\"", CountOf(verdicts, Outcome::kUnknown), "\" skipped=\"0\">\n");
  for (const Verdict& verdict : verdicts) {
    text += Text("  <testcase classname=\"", XmlText(run.name), "\" name=\"",
                 XmlText(verdict.expression), "\"");
    if (verdict.outcome == Outcome::kHolds) {
      text += verdict.note.empty()
                  ? "/>\n"
                  : Text("><system-out>", XmlText(verdict.note), "</system-out></testcase>\n");
      continue;
    }
    const char* const element = verdict.outcome == Outcome::kBroken ? "failure" : "error";
    text += Text(">\n   <", element, " message=\"", XmlText(WhatText(verdict)), "\">",
                 XmlText(LinesText(verdict, "")), "</", element, ">\n  </testcase>\n");
  }
  return text + " </testsuite>\n</testsuites>\n";
}

std::string VerdictsJson(const std::vector<Verdict>& verdicts, const RunMeasures& run) {
  Json rows = Json::array();
  for (const Verdict& verdict : verdicts) {
    const bool known = verdict.outcome != Outcome::kUnknown;
    rows.push_back({{"expression", verdict.expression},
                    {"outcome", OutcomeName(verdict.outcome)},
                    {"value", known ? Json(verdict.value) : Json(nullptr)},
                    {"unit", verdict.unit},
                    {"measured", verdict.measured},
                    {"wanted", verdict.wanted},
                    {"why", verdict.why},
                    {"lines_are", verdict.lines_are},
                    {"lines_of", verdict.lines_of},
                    {"lines", LinesJson(verdict)},
                    {"hint", verdict.hint},
                    {"note", verdict.note}});
  }
  const Json json = {{"schema", kSchema},
                     {"run", run.name},
                     {"steps", StepsJson(run)},
                     {"holds", CountOf(verdicts, Outcome::kHolds)},
                     {"broken", CountOf(verdicts, Outcome::kBroken)},
                     {"unknown", CountOf(verdicts, Outcome::kUnknown)},
                     {"expressions", std::move(rows)}};
  return JsonText(json, kIndent) + "\n";
}

}  // namespace syncline
