// SPDX-License-Identifier: Apache-2.0
// The head of the page, and its cards: what to change first.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/run/losses.h"
#include "report/opening_texts.h"
#include "report/words.h"
#include "writers/tables/html_parts.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr size_t kMostCards = 12;
constexpr size_t kOpenCards = 3;  // the others open with a click

std::string LastPart(std::string directory) {
  while (directory.size() > 1 && directory.ends_with("/")) directory.pop_back();
  return directory.substr(directory.rfind('/') + 1);
}

std::string Tile(const char* name, const std::string& value, const std::string& more) {
  return std::string("<div><dt>") + name + "</dt><dd>" + value + "<small>" + more +
         "</small></dd></div>";
}

std::string Fact(const char* name, const std::string& html) {
  return std::string("<div><dt>") + name + "</dt><dd>" + html + "</dd></div>";
}

std::string Facts(const ReportFinding& finding) {
  std::string html = "<dl class=\"facts\">";
  const std::string where = PlaceText(finding);
  if (!where.empty()) html += Fact("Where", "<code>" + HtmlText(where) + "</code>");
  if (!finding.stage.empty()) html += Fact("Stage", "<code>" + HtmlText(finding.stage) + "</code>");
  if (!finding.program.empty()) html += Fact("Program", HtmlText(finding.program));
  if (!finding.rank.empty())
    html += Fact("Ranks", HtmlText((finding.count_ranks > 1 ? "mostly " : "") + finding.rank));
  if (finding.lost.Matters()) html += Fact("Not priced", HtmlText(LostText(finding.lost)));
  if (finding.count != 0) html += Fact("Times", CountText(finding.count));
  if (finding.blocked_ns != 0)
    html += Fact(finding.share != 0 ? "Longer" : "Blocked, all ranks",
                 DurationText(finding.blocked_ns));
  if (!finding.call.empty()) html += Fact("Call", "<code>" + HtmlText(finding.call) + "</code>");
  if (!finding.parts.empty()) html += Fact("In parts", HtmlText(PartsText(finding)));
  return html + "</dl>";
}

std::string Gain(const ReportFinding& finding) {
  const GainWords words = GainOf(finding);
  if (!finding.priced || words.share.empty())
    return "<div class=\"gain none\"><b>" + words.gain + "</b>" +
           (words.share.empty() ? "" : "<span> (" + words.share + ")</span>") + "</div>";
  const double percent =
      std::isfinite(finding.gain_percent) ? std::clamp(finding.gain_percent, 0.0, 100.0) : 0;
  return "<div class=\"gain\"><b>" + words.gain + "</b><span> (" + words.share + ")</span>" +
         HtmlBar({{"gained", static_cast<uint64_t>(percent * 1000)}}, 100'000,
                 words.share + " of the time") +
         "</div>";
}

std::string Command(const Report& report, const ReportFinding& finding) {
  const std::string view = ViewText(report, finding);
  if (view.empty()) return "";
  const std::string command = "syncline view " + ShellWord(report.directory) + " " + view;
  return "<div class=\"command\"><code>" + HtmlText(command, 2000) +
         "</code><button type=\"button\" class=\"copy needs-script\" aria-label=\"Copy the "
         "command\">Copy</button></div>";
}

std::string Advice(const ReportFinding& finding) {
  const std::string advice = AdviceText(finding);
  return advice.empty() ? "" : "<p class=\"advice\">" + HtmlText(advice, 1000) + "</p>";
}

// Of a closed card its facts are hidden.
std::string At(const ReportFinding& finding, size_t number) {
  const std::string where = PlaceText(finding);
  if (number <= kOpenCards || where.empty()) return "";
  return "<code class=\"at\">" + HtmlText(where) + "</code>";
}

std::string Card(const Report& report, const ReportFinding& finding, size_t number) {
  const std::string head =
      "<div class=\"number\" aria-hidden=\"true\">" + std::to_string(finding.number) +
      "</div><div class=\"title\"><p class=\"kind\">" + HtmlText(InWords(finding.kind)) +
      "</p><h3>" + HtmlText(finding.problem) + "</h3>" + At(finding, number) + "</div>" +
      Gain(finding);
  const std::string what = "<div class=\"what\">" + Advice(finding) + Facts(finding) +
                           Command(report, finding) + "</div>";
  if (number > kOpenCards)
    return "<li class=\"card closed\"><details><summary>" + head + "</summary>" + what +
           "</details></li>\n";
  return std::string("<li class=\"card") + (number == 1 ? " first" : "") +
         "\"><div class=\"heading\">" + head + "</div>" + what + "</li>\n";
}

std::string Computing(const Report& report) {
  uint64_t computing = 0;
  uint64_t seen = 0;
  size_t devices = 0;
  for (const ReportDevice& device : report.devices) {
    if (device.lost.Matters()) continue;
    computing += device.use.computing_ns;
    seen += device.use.SeenNs();
    ++devices;
  }
  if (seen == 0) return "";
  return Tile("GPUs computing", ShareText(computing, seen),
              CountText(devices) + (devices == 1 ? " device" : " devices, mean"));
}

// Nobody should trust the page without having seen that something is missing.
std::string Warning(const Report& report) {
  uint64_t lost = 0;
  for (const auto& [name, count] : report.losses) lost += name == kNoEnd ? 0 : count;
  std::string text;
  if (lost != 0) text = CountText(lost) + (lost == 1 ? " record was lost" : " records were lost");
  const size_t problems = report.problems.size();
  if (problems != 0)
    text += (text.empty() ? "" : ", ") + CountText(problems) +
            (problems == 1 ? " problem when the files were read"
                           : " problems when the files were read");
  const std::string limits =
      report.limits.empty() ? ""
                            : "<p class=\"warning\">" + HtmlText(LimitsText(report), 1000) + "</p>";
  std::string endings;
  for (const std::string& ending : OpeningTexts(report))
    endings += "<p class=\"warning\">" + HtmlText(ending, 1000) + "</p>";
  if (text.empty()) return endings + limits;
  return endings + limits + "<p class=\"warning\">" + text +
         ": see <a href=\"#health\">Health</a></p>";
}

}  // namespace

std::string HtmlHead(const Report& report) {
  std::string html = "<header><p class=\"tool\">Syncline report";
  if (report.simulated) html += " <span class=\"badge\">Simulated</span>";
  html += "</p><h1>" + HtmlText(LastPart(report.directory)) + "</h1><p class=\"note\">" +
          HtmlMoment(report.begin_ns) + " \xc2\xb7 <code>" + HtmlText(report.directory) + "</code>";
  if (report.simulated)
    html += " \xc2\xb7 a simulated GPU: its times are a model's, not a real device's";
  html += "</p>" + Warning(report) + "<dl class=\"tiles\">";
  html += Tile("Length", DurationText(report.length_ns), "first begin to last end");
  html += Tile("Ranks", CountText(WholeRanks(report)),
               "on " + CountText(report.hosts) + (report.hosts == 1 ? " host" : " hosts"));
  html += Computing(report);
  if (report.imbalance && !report.lost_matters)
    html +=
        Tile("Imbalance", ShareText(*report.imbalance), "longest computing rank, over the mean");
  html += Tile("Events", CountText(report.events), "recorded");
  return html + "</dl></header>\n";
}

std::string HtmlFindings(const Report& report) {
  if (report.findings.empty())
    return HtmlPart("findings", "What to change first", "",
                    "<p class=\"empty\">" + HtmlText(NothingSentence(report), 1000) + "</p>");
  std::string html;
  if (HasNothingText(report))
    html = "<p class=\"note\">" + HtmlText(NothingSentence(report), 1000) + "</p>";
  html += "<ol class=\"cards\">\n";
  const size_t shown = std::min(report.findings.size(), kMostCards);
  for (size_t i = 0; i < shown; ++i) html += Card(report, report.findings[i], i + 1);
  html += "</ol>";
  if (shown < report.findings.size())
    html += "<p class=\"note\">" + CountText(report.findings.size() - shown) +
            " more are in the table <a href=\"#waits\">Waits and gaps</a>.</p>";
  if (!report.host_work_text.empty())
    html += "<p class=\"note\">" + HtmlText(report.host_work_text, 4000) + "</p>";
  if (!report.order.empty()) html += "<p class=\"note\">" + HtmlText(report.order, 1000) + "</p>";
  return HtmlPart("findings", "What to change first",
                  "The gain is how much earlier the job would have ended. Gains of several "
                  "changes do not simply add up.",
                  html);
}

}  // namespace syncline
