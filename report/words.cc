// SPDX-License-Identifier: Apache-2.0
// Values and names of a report as text; names of the program are made harmless.
#include "report/words.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/line_place.h"

namespace syncline {
namespace {

void Erase(std::string* text, std::string_view part) {
  for (size_t at = text->find(part); at != std::string::npos; at = text->find(part, at))
    text->erase(at, part.size());
}

// Where the parameters of a function begin: the bracket that the last one closes. npos: it has
// none.
size_t ParametersOf(std::string_view name) {
  if (!name.ends_with(')')) return std::string_view::npos;
  size_t open = 0;
  for (size_t at = name.size(); at-- > 0;) {
    open += name[at] == ')';
    if (name[at] == '(' && --open == 0) return at;
  }
  return std::string_view::npos;
}

bool IsOneFunction(const LinePlace& a, const LinePlace& b) {
  return !a.lines.empty() && !b.lines.empty() && a.file == b.file && a.function == b.function &&
         a.within == b.within;
}

// Another file is named, one's own is not named again.
std::string BelowText(std::string_view below, std::string_view next) {
  if (below.empty() || below == kOtherLines) return "";
  const LinePlace there = PlaceOf(below);
  // A comprehension's lines are its function's, and told already.
  if (const LinePlace to = PlaceOf(next);
      IsOneFunction(there, to) && to.lines.find(there.lines) != to.lines.npos)
    return "";
  if (there.lines.empty() || there.file != PlaceOf(next).file) return Text(", below it ", below);
  const bool several = there.lines.find_first_of("-,") != std::string_view::npos;
  return Text(", below it ", several ? "lines " : "line ", there.lines, " of ", there.function);
}

std::string WayText(std::string_view before, std::string_view next) {
  if (before.empty() || before == next) return Text("on the way to ", next);
  const LinePlace from = PlaceOf(before), to = PlaceOf(next);
  return IsOneFunction(from, to) ? Text("from line ", from.lines, " to ", next)
                                 : Text("from ", before, " to ", next);
}

// With microseconds, rounded down: "12.345678".
std::string SecondsText(uint64_t ns) {
  char text[48];
  std::snprintf(text, sizeof(text), "%llu.%06llu",
                static_cast<unsigned long long>(ns / 1'000'000'000),
                static_cast<unsigned long long>(ns % 1'000'000'000 / 1000));
  return text;
}

// What is known all the same.
std::string RangesText(const Report& report) {
  std::vector<std::string> parts;
  for (const auto& [name, share] : report.range_shares)
    parts.push_back(Text("`", PrintableText(name), "` (", ShareText(share), ")"));
  return parts.empty() ? "" : Text("; the time of its ranges went by in ", JoinNames(parts));
}

std::string LostIn(const LostRecords& lost) {
  return lost.lost == 0 ? "" : Text(" (", LostText(lost), ")");
}

}  // namespace

std::string ShareText(double share) {
  char text[32];
  const double percent = 100 * share;
  std::snprintf(text, sizeof(text), percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
  return text;
}

std::string ShareText(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-" : ShareText(static_cast<double>(part) / static_cast<double>(whole));
}

uint64_t WholeRanks(const Report& report) {
  uint64_t ranks = 0;
  for (const ReportRank& rank : report.ranks)
    ranks += rank.rank >= 0 && rank.name == Text("rank-", rank.rank);
  return ranks;
}

std::string SummaryText(const Report& report) {
  return Text(Counted(WholeRanks(report), "rank"), " on ", Counted(report.hosts, "host"), ", ",
              DurationText(report.length_ns), ", ", Counted(report.events, "event"));
}

std::string LimitsText(const Report& report) {
  std::string text;
  for (const std::string& limit : report.limits)
    text += Text(text.empty() ? "limited recording: " : ", ", PrintableText(limit));
  return text;
}

std::string RunName(const Report& report) {
  std::string_view path = report.directory;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos && path.size() > 1) path.remove_prefix(slash + 1);
  return PrintableText(path);
}

GainWords GainOf(const ReportFinding& finding) {
  const bool once = !finding.worth && !finding.priced && !finding.lost.Matters();
  if (once) return {Text("once ", DurationText(finding.blocked_ns)), ""};
  if (finding.priced && (!finding.worth || finding.gain_ns == 0)) return {"nothing", ""};
  if (!finding.priced && finding.blocked_ns == 0) return {"first of all", ""};
  if (finding.share != 0 && !finding.priced)
    return {Text("longer ", DurationText(finding.blocked_ns)), ShareText(finding.share)};
  if (!finding.priced) {
    const char* const what = finding.wait_class.empty() ? "idle " : "waited ";
    return {Text(what, DurationText(finding.blocked_ns)), ""};
  }
  return {Text("-", DurationText(finding.gain_ns)), ShareText(finding.gain_percent / 100)};
}

std::string GainText(const ReportFinding& finding) {
  const GainWords words = GainOf(finding);
  return words.share.empty() ? words.gain : Text(words.gain, " (", words.share, ")");
}

bool HasNothingText(const Report& report) {
  if (report.findings.empty() || !report.findings[0].worth) return true;
  const bool works =
      std::any_of(report.devices.begin(), report.devices.end(),
                  [](const ReportDevice& device) { return device.use.SeenNs() != 0; });
  return !report.lost_matters && !works &&
         std::none_of(report.findings.begin(), report.findings.end(),
                      [](const ReportFinding& finding) {
                        return finding.priced || !finding.wait_class.empty();
                      });
}

std::string NothingText(const Report& report) {
  if (report.lost_matters)
    return "what a change would bring is not known: so many records of GPU work are lost";
  const bool any = std::any_of(report.devices.begin(), report.devices.end(),
                               [](const ReportDevice& device) { return device.use.SeenNs() != 0; });
  if (!any) return Text(kNoGpuWork, RangesText(report));
  return Text("nothing found whose change would bring each rank a hundredth of its time",
              report.working ? Text(": its GPUs worked ", ShareText(std::min(*report.working, 1.0)),
                                    " of the time")
                             : "",
              report.unknown_collectives == 0
                  ? ""
                  : Text("; what ", Counted(report.unknown_collectives, "collective kernel"),
                         " waited for is not known (below)"));
}

const char* DevicesAre(const Report& report) {
  return report.simulated ? kSimulated : report.devices.empty() ? "not known" : "real";
}

std::string Capitalised(std::string words) {
  if (!words.empty()) words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::string NothingSentence(const Report& report) { return Capitalised(NothingText(report)) + "."; }

std::string InWords(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind;
}

std::string PlaceText(const ReportFinding& finding) {
  const std::string lines = LinesText(finding);
  return PrintableText(lines.empty() ? finding.where : lines);
}

std::string ProblemText(const ReportFinding& finding) {
  const std::string place = PlaceText(finding), problem = PrintableText(finding.problem);
  const bool is_stage = finding.share == 0 && finding.where == finding.stage;  // DetailsOf has it
  const bool known = place.empty() || is_stage || problem.find(place) != std::string::npos;
  return known ? problem : Text(problem, ": ", place);
}

std::string PartsText(const ReportFinding& finding) {
  std::string text;
  for (const FindingPart& part : finding.parts)
    text += Text(text.empty() ? "" : ", ", part.what, " ", DurationText(part.blocked_ns));
  return text;
}

std::string ViewText(const Report& report, const ReportFinding& finding) {
  return ViewText(report, finding.trace, finding.begin_ns);
}

std::string ViewText(const Report& report, const std::string& trace, uint64_t begin_ns) {
  const auto rank = std::find_if(report.ranks.begin(), report.ranks.end(),
                                 [&](const ReportRank& each) { return each.name == trace; });
  if (rank == report.ranks.end() || rank->rank < 0 || rank->name != Text("rank-", rank->rank))
    return "";  // what lies in run/ is not opened by its rank
  const std::string text = Text("--rank ", rank->rank);
  if (begin_ns < rank->begin_ns) return text;
  return Text(text, " --at ", SecondsText(begin_ns - rank->begin_ns), "s");
}

std::vector<std::string> DetailsOf(const ReportFinding& finding) {
  std::vector<std::string> details;
  const bool is_mostly = finding.count_ranks > 1;
  if (finding.count != 0)
    details.push_back(
        Text(finding.count == 1 ? "once" : Text(CountText(finding.count), " times"),
             is_mostly ? Text(" on ", CountText(finding.count_ranks), " ranks") : std::string()));
  if (!finding.lines.empty()) details.push_back(finding.lines);
  const bool says_all = finding.share != 0;  // the problem names rank and stage
  if (!finding.rank.empty() && !says_all)
    details.push_back(Text(is_mostly ? "mostly " : "", PrintableText(finding.rank)));
  if (finding.lost.Matters()) details.push_back(LostText(finding.lost));
  if (!finding.program.empty()) details.push_back(Text("of ", PrintableText(finding.program)));
  if (!finding.stage.empty() && !says_all)
    details.push_back(Text("in `", PrintableText(finding.stage), "`"));
  return details;
}

std::string AdviceText(const ReportFinding& finding) {
  const bool both = !finding.advice.empty() && !finding.assumption.empty();
  return PrintableText(Text(finding.advice, both ? ", " : "", finding.assumption));
}

std::string NamesOfRanks(const std::vector<int>& ranks) {
  std::vector<std::string> numbers;
  for (const int rank : ranks) numbers.push_back(std::to_string(rank));
  return Text(ranks.size() == 1 ? "rank " : "ranks ", SomeNames(std::move(numbers)));
}

std::string OfProgram(const std::string& program) {
  return program.empty() ? "" : Text(" of ", program);
}

std::string StageName(const RangeKey& key) {
  return PrintableText(Text(key.name, key.domain.empty() ? "" : Text(" (", key.domain, ")"),
                            OfProgram(key.program)));
}

std::string KernelName(std::string_view name) {
  std::string text = PrintableText(name);
  if (const size_t at = ParametersOf(text); at != std::string::npos && at != 0) text.resize(at);
  if (text.starts_with("void ")) text.erase(0, 5);
  for (const std::string_view part : {"(anonymous namespace)::", "at::native::"})
    Erase(&text, part);
  return text;
}

std::string Apart(const ReportDevice& device) {
  return device.apart.empty() ? "" : Text(" (", PrintableText(device.apart), ")");
}

std::string DeviceName(const ReportDevice& device) {
  return Text(PrintableText(device.rank), ", ", PrintableText(device.use.source), " ",
              device.use.device, Apart(device), LostIn(device.lost), ": ",
              PrintableText(device.use.name));
}

std::string RankName(const ReportRank& rank) {
  return Text(PrintableText(rank.host.empty() ? rank.name : Text(rank.name, " on ", rank.host)),
              LostIn(rank.lost));
}

std::string ClassesText(const Report& report) {
  uint64_t all = 0;
  std::vector<std::pair<uint64_t, size_t>> classes;
  for (size_t i = 0; i < kKernelClasses; ++i) {
    all += report.kernel_class_ns[i];
    if (report.kernel_class_ns[i] != 0) classes.emplace_back(report.kernel_class_ns[i], i);
  }
  StableSort(&classes, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [ns, i] : classes) {
    text += Text(text.empty() ? "" : ", ", KernelClassName(static_cast<KernelClass>(i)), " ",
                 ShareText(ns, all));
  }
  return text;
}

std::string LinesText(const ReportFinding& finding) {
  return finding.before.empty() && finding.below.empty()
             ? ""
             : LinesText(LinesBetween{finding.before, finding.line, finding.below, finding.span,
                                      finding.statement});
}

std::string PlacesText(LinesBetween lines) {
  lines.statement = "";
  return LinesText(lines);
}

std::string LinesText(const LinesBetween& lines) {
  const std::string_view next = lines.next;
  std::string_view before = lines.before;
  if (before == kOtherLines) before = "";
  if (next == kOtherLines || (before.empty() && next.empty())) return "";
  if (next.empty()) return Text("after ", before);
  const std::string code = lines.statement.empty() ? "" : Text(": `", lines.statement, "`");
  if (lines.span == HostSpan::kWithin) {
    const bool told = !lines.below.empty() && lines.below != kOtherLines;
    return Text("within ", next, told ? Text(", ", WayText(before, lines.below)) : "", code);
  }
  return Text(WayText(before, next), BelowText(lines.below, next), code);
}

}  // namespace syncline
