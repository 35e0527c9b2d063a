// SPDX-License-Identifier: Apache-2.0
// The findings as a list, the other sections as tables of a few rows.
#include "writers/tables/report_markdown.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kMostRows = 20;

// The first column is text, the others are numbers.
class MarkdownTable {
 public:
  MarkdownTable(const char* title, const std::vector<std::string>& heads) {
    head_ = Text("\n## ", title, "\n\n|");
    for (const std::string& head : heads) head_ += Text(" ", head, " |");
    head_ += "\n|";
    for (size_t i = 0; i < heads.size(); ++i) head_ += i == 0 ? "---|" : "--:|";
    head_ += "\n";
  }
  void Add(const std::vector<std::string>& cells) {
    if (++rows_ > kMostRows) return;
    text_ += "|";
    for (const std::string& cell : cells) text_ += Text(" ", cell, " |");
    text_ += "\n";
  }
  std::string Take() const {
    if (rows_ == 0) return "";
    const std::string more =
        rows_ > kMostRows ? Text("\nand ", CountText(rows_ - kMostRows), " more\n") : "";
    return Text(head_, text_, more);
  }

 private:
  std::string head_, text_;
  size_t rows_ = 0;
};

std::string FindingsPart(const Report& report) {
  std::string text;
  if (report.findings.empty() || !report.findings[0].worth)
    text = "\nNothing was found whose change would bring each rank a hundredth of its time.\n";
  if (report.findings.empty()) return text;
  text += "\n## What to change\n\n";
  size_t number = 0;
  for (const ReportFinding& finding : report.findings) {
    text += Text(++number, ". **", MarkdownText(GainText(finding)), "** ",
                 MarkdownText(ProblemText(finding)));
    std::vector<std::string> details = DetailsOf(finding);
    if (!finding.stage.empty()) details.pop_back();
    for (const std::string& detail : details) text += "; " + MarkdownText(detail);
    if (!finding.stage.empty()) text += "; in " + MarkdownCode(finding.stage);
    const std::string advice = AdviceText(finding);
    text += advice.empty() ? "\n" : Text("\\\n   ", MarkdownText(advice), "\n");
  }
  return text;
}

std::string StagesPart(const Report& report) {
  MarkdownTable table("Stages", {"stage", "total", "count", "median", "95 %", "longest", "blocked",
                                 "GPU busy", "memory"});
  for (const ReportStage& stage : report.stages) {
    const DurationSums& sums = stage.sums;
    table.Add({MarkdownCode(StageName(stage.key)), FineDuration(sums.total_ns),
               CountText(sums.count), FineDuration(sums.Quantile(0.5)),
               FineDuration(sums.Quantile(0.95)), FineDuration(sums.max_ns),
               FineDuration(stage.work.blocked_ns),
               ShareText(stage.work.busy_ns, stage.work.busy_of_ns, report.lost_matters),
               SizeText(stage.work.memory_peak)});
  }
  return table.Take();
}

std::string StepsPart(const Report& report) {
  MarkdownTable table("Steps", {"steps", "count", "median", "outliers"});
  for (const ReportSteps& series : report.steps) {
    table.Add({MarkdownCode(Text(series.rank, ", ", series.name)), CountText(series.steps.size()),
               FineDuration(series.median_ns), CountText(series.outliers.size())});
  }
  return table.Take();
}

std::string KernelsPart(const Report& report) {
  MarkdownTable table("Kernels", {"kernel", "class", "total", "share", "count", "median"});
  for (const ReportKernel& kernel : report.kernels) {
    table.Add({MarkdownCode(KernelName(kernel.key.name)), KernelClassName(kernel.kernel_class),
               FineDuration(kernel.sums.total_ns), ShareText(kernel.share),
               CountText(kernel.sums.count), FineDuration(kernel.sums.Quantile(0.5))});
  }
  const std::string classes = ClassesText(report);
  return Text(table.Take(), classes.empty() ? "" : Text("\nBy class: ", classes, ".\n"));
}

std::string CopiesPart(const Report& report) {
  MarkdownTable table("Copies", {"copy", "total", "bytes", "count", "rate"});
  for (const ReportCopy& copy : report.copies) {
    table.Add({MarkdownCode(copy.key.name), FineDuration(copy.sums.durations.total_ns),
               SizeText(copy.sums.bytes), CountText(copy.sums.durations.count),
               RateText(copy.sums)});
  }
  return table.Take();
}

std::string DevicesPart(const Report& report) {
  MarkdownTable table("Devices",
                      {"device", "busy", "compute", "communicate", "copy", "idle", "memory"});
  for (const ReportDevice& device : report.devices) {
    const DeviceUse& use = device.use;
    const uint64_t seen = use.SeenNs();
    const bool unknown = device.lost.Matters();
    table.Add({MarkdownCode(DeviceName(device)), ShareText(use.busy_ns, seen, unknown),
               ShareText(use.computing_ns, seen, unknown),
               ShareText(use.communicating_ns, seen, unknown),
               ShareText(use.copying_ns, seen, unknown), unknown ? "?" : FineDuration(use.IdleNs()),
               SizeText(use.memory_peak_bytes)});
  }
  return table.Take();
}

std::string RanksPart(const Report& report) {
  if (report.ranks.size() < 2) return "";
  MarkdownTable table("Ranks", {"rank", "compute", "busy", "came last", "others waited for it",
                                "waited for others", "late in"});
  for (const ReportRank& rank : report.ranks) {
    table.Add({MarkdownCode(RankName(rank)),
               rank.lost.Matters() ? "?" : FineDuration(rank.computing_ns),
               ShareText(rank.busy_ns, rank.seen_ns, rank.lost.Matters()),
               Text(CountText(rank.came_last), " of ", CountText(rank.met)),
               FineDuration(rank.others_paid_ns), FineDuration(rank.waited_ns),
               rank.late_stage.empty() ? "" : MarkdownCode(rank.late_stage)});
  }
  return Text(table.Take(),
              "\nImbalance: ", report.lost_matters ? "?" : ShareText(report.imbalance), ".\n");
}

std::string HealthPart(const Report& report) {
  if (report.problems.empty() && report.health.empty()) return "";
  std::string text = "\n## To know about these numbers\n\n";
  for (const std::string& sentence : report.problems)
    text += Text("- ", MarkdownText(sentence), "\n");
  for (const std::string& sentence : report.health)
    text += Text("- ", MarkdownText(sentence), "\n");
  return text;
}

bool IsWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string MarkdownText(std::string_view text) {
  constexpr std::string_view kMeaning = "\\`*_[]<>|#!~&$";
  const std::string plain = PrintableText(text);
  std::string out;
  for (size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    // snake_case means nothing, and stays readable where nobody renders it.
    const bool inner = c == '_' && i > 0 && i + 1 < plain.size() && IsWordChar(plain[i - 1]) &&
                       IsWordChar(plain[i + 1]);
    if (kMeaning.find(c) != std::string_view::npos && !inner) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  std::string out = "`";
  for (const char c : PrintableText(text)) {
    if (c == '|') out += '\\';  // else it ends the cell
    out += c == '`' ? '\'' : c;
  }
  return out.size() == 1 ? "" : out + "`";
}

std::string ReportMarkdown(const Report& report) {
  return Text(
      "# ", MarkdownText(RunName(report)), "\n\n", SummaryText(report), ".",
      report.simulated ? Text(" **", kSimulated, "**: no real device took these times.") : "", "\n",
      report.limits.empty() ? "" : Text("\n**", MarkdownText(LimitsText(report)), "**\n"),
      FindingsPart(report), StagesPart(report), StepsPart(report), KernelsPart(report),
      CopiesPart(report), DevicesPart(report), RanksPart(report), HealthPart(report));
}

}  // namespace syncline
