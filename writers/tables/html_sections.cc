// SPDX-License-Identifier: Apache-2.0
// Sections of the report as parts of the page, with what only a page can show; what was lost.
#include <algorithm>

#include "base/text.h"
#include "report/kernel_verdict.h"
#include "report/reached_rates.h"
#include "report/sections.h"
#include "report/words.h"
#include "writers/tables/html_parts.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"
#include "writers/tables/roofline.h"

namespace syncline {
namespace {

constexpr RowChoice kRows = {false, false, 1000};
constexpr size_t kMostSentences = 100;

constexpr const char* kGapClasses[kGapCauses] = {"host-waited",  "host-busy",    "latency",
                                                 "copying",      "nothing-left", "first-use",
                                                 "other-device", "host-function"};

std::string LegendItem(const char* name, const char* text) {
  return std::string("<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"") + name +
         "\" width=\"10\" height=\"10\"/></svg>" + text + "</li>";
}

std::string DeviceLegend() {
  std::string html = "<ul class=\"legend\">" + LegendItem("computing", "computing") +
                     LegendItem("communicating", "communicating only");
  static constexpr const char* kTexts[kGapCauses] = {
      "idle: the host waited",    "idle: the host did something else",
      "idle: launch latency",     "idle: copies",
      "idle: nothing left to do", "idle: first use of code",
      "idle: another GPU's work", "idle: a function of the host in the stream"};
  for (size_t cause = 0; cause < kGapCauses; ++cause)
    html += LegendItem(kGapClasses[cause], kTexts[cause]);
  return html + LegendItem("rest", "before the first kernel, and shorter gaps") + "</ul>";
}

// Gaps hold what is neither computing nor communicating, so that these parts do not overlap.
std::string DeviceBar(const DeviceUse& use) {
  std::vector<BarPart> parts = {{"computing", use.computing_ns},
                                {"communicating", use.communicating_alone_ns}};
  uint64_t sum = use.computing_ns + use.communicating_alone_ns;
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    parts.push_back({kGapClasses[cause], use.gaps_ns[cause]});
    sum += use.gaps_ns[cause];
  }
  const uint64_t whole = std::max(use.SeenNs(), sum);
  parts.push_back({"rest", whole - sum});
  return HtmlBar(parts, whole, "computing " + ShareText(use.computing_ns, whole));
}

constexpr const char* kKernelIds[kKernelClasses] = {"k0", "k1", "k2", "k3", "k4", "k5"};

std::string KernelChip(KernelClass kernel_class) {
  return std::string("<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"") +
         kKernelIds[static_cast<size_t>(kernel_class)] + "\" width=\"10\" height=\"10\"/></svg>" +
         KernelClassName(kernel_class);
}

std::string ClassBar(const Report& report) {
  uint64_t whole = 0;
  for (const uint64_t ns : report.kernel_class_ns) whole += ns;
  if (whole == 0) return "";
  std::vector<BarPart> parts;
  std::string legend = "<ul class=\"legend\">";
  std::string label;
  for (size_t i = 0; i < kKernelClasses; ++i) {
    const uint64_t ns = report.kernel_class_ns[i];
    if (ns == 0) continue;
    parts.push_back({kKernelIds[i], ns});
    const std::string share = " " + ShareText(ns, whole);
    legend += "<li>" + KernelChip(static_cast<KernelClass>(i)) + share + "</li>";
    label += (label.empty() ? "" : ", ") +
             std::string(KernelClassName(static_cast<KernelClass>(i))) + share;
  }
  return "<div class=\"classes\">" + HtmlBar(parts, whole, label) + legend + "</ul></div>";
}

std::string Sentences(const std::vector<std::string>& sentences, const char* name) {
  if (sentences.empty()) return "";
  std::string html = std::string("<ul class=\"") + name + "\">";
  const size_t shown = std::min(sentences.size(), kMostSentences);
  for (size_t i = 0; i < shown; ++i) html += "<li>" + HtmlText(sentences[i], 1000) + "</li>";
  if (shown < sentences.size()) html += "<li>" + CountText(sentences.size() - shown) + " more</li>";
  return html + "</ul>";
}

}  // namespace

std::string HtmlStages(const Report& report) {
  return HtmlPart("stages", "Stages", "Named ranges of the program, of all ranks.",
                  HtmlTable(StagesSection(report, kRows)));
}

std::string HtmlLabels(const Report& report) {
  return HtmlPart("labels", "Stages by label",
                  "By the values of the arguments that label their calls, of all ranks.",
                  HtmlTable(LabelsSection(report, kRows)));
}

std::string HtmlKernels(const Report& report) {
  const std::string table = HtmlTable(KernelsSection(report, kRows));
  return HtmlPart("kernels", "Kernels", Capitalised(KernelVerdict(report)),
                  table.empty() ? "" : ClassBar(report) + table);
}

std::string HtmlCompilations(const Report& report) {
  const Section section = CompilationsSection(report, kRows);
  std::string tables = HtmlTable(section);
  for (const Section& more :
       {CompileStepsSection(report, kRows), CompiledKernelsSection(report, kRows),
        CompiledCallsSection(report, kRows)}) {
    if (more.rows.empty()) continue;
    tables += Text("<h3>", more.title, "</h3>");
    if (!more.note.empty())
      tables += Text("<p class=\"note\">", HtmlText(Capitalised(more.note)), "</p>");
    tables += HtmlTable(more);
  }
  return HtmlPart("compilations", "Compilations", Capitalised(section.note), tables);
}

std::string HtmlMemory(const Report& report) {
  std::string tables = HtmlTable(AllocatorsSection(report, kRows));
  for (const Section& more :
       {MemoryPlacesSection(report, kRows), MemoryGrowthSection(report, kRows)}) {
    if (more.rows.empty()) continue;
    tables += Text("<h3>", more.title, "</h3>", HtmlTable(more));
  }
  return HtmlPart("memory", "Memory",
                  "Of frameworks' allocators: what they had given out, and had of the driver.",
                  tables);
}

std::string HtmlModules(const Report& report) {
  return HtmlPart("modules", "Modules", "Of the model, each before those below it, of all ranks.",
                  HtmlTable(ModulesSection(report, kRows)));
}

std::string HtmlOperators(const Report& report) {
  const std::string rates = HtmlTable(RatesSection(report, kRows));
  return HtmlPart("operators", "Operators", "Of the framework, of all ranks.",
                  HtmlTable(OperatorsSection(report, kRows)) +
                      (rates.empty() ? ""
                                     : Text("<h3>Rates</h3><p class=\"note\">",
                                            HtmlText(Capitalised(RatesText(report))), "</p>", rates,
                                            RooflineSvg(report))));
}

std::string HtmlCopies(const Report& report) {
  return HtmlPart("copies", "Copies and sets", "", HtmlTable(CopiesSection(report, kRows)));
}

std::string HtmlDevices(const Report& report) {
  constexpr size_t kBehindDevice = 2;
  const HtmlColumn bars = {
      kBehindDevice, "time seen", "From the device's first operation to its last", [&](size_t row) {
        const ReportDevice& device = report.devices[row];
        if (device.lost.Matters()) return HtmlText(LostText(device.lost));
        return device.idle_known ? DeviceBar(device.use) : HtmlText("others used it too");
      }};
  Section section = DevicesSection(report, kRows);
  const std::string table = HtmlTable(section, bars);
  if (table.empty()) return "";
  section.title = "Idle by cause";
  const std::string shares = HtmlTable(StepSharesSection(report, kRows));
  return HtmlPart("devices", "Devices: busy, and idle by cause", "",
                  DeviceLegend() + table + "<h3>Idle by cause</h3>" +
                      HtmlTable(section, {}, kPageToo) +
                      (shares.empty() ? "" : "<h3>What the time goes by with</h3>" + shares));
}

std::string HtmlRanks(const Report& report) {
  const std::string collectives = HtmlTable(CollectivesSection(report, kRows));
  const std::string messages = HtmlTable(MessagesSection(report, kRows));
  return HtmlPart("ranks", "Ranks", "",
                  HtmlTable(RanksSection(report, kRows)) +
                      (collectives.empty() ? "" : "<h3>Collectives</h3>" + collectives) +
                      (messages.empty() ? "" : "<h3>Sends and receives</h3>" + messages));
}

std::string HtmlRankStages(const Report& report) {
  return HtmlPart("rank-stages", "Stages by rank", "", HtmlTable(RankStagesSection(report, kRows)));
}

std::string HtmlFindingsTable(const Report& report) {
  const Section host_work = HostWorkSection(report, kRows);
  const std::string did = HtmlTable(host_work);
  return HtmlPart("waits", "Waits and gaps", "All findings, by line.",
                  HtmlTable(FindingsSection(report, kRows)) +
                      (did.empty() ? "" : std::string("<h3>") + host_work.title + "</h3>" + did));
}

std::string HtmlHealth(const Report& report) {
  std::string html = Sentences(report.problems, "bad") + Sentences(report.health, "health");
  const std::string losses = HtmlTable(LossesSection(report, kRows));
  html += losses.empty() ? "<p>No record was lost.</p>" : losses;
  return HtmlPart("health", "Health of this recording", "", html);
}

}  // namespace syncline
