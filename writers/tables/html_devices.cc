// SPDX-License-Identifier: Apache-2.0
// What each device did, and each rank; what was lost.
#include <algorithm>

#include "writers/tables/html_parts.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr size_t kMostDevices = 1000;
constexpr size_t kMostRanks = 1000;
constexpr size_t kMostSentences = 100;

constexpr const char* kGapClasses[kGapCauses] = {"host-waited", "host-busy", "latency", "copying",
                                                 "nothing-left"};

std::string LegendItem(const char* name, const char* text) {
  return std::string("<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"") + name +
         "\" width=\"10\" height=\"10\"/></svg>" + text + "</li>";
}

std::string DeviceLegend() {
  std::string html = "<ul class=\"legend\">" + LegendItem("computing", "computing") +
                     LegendItem("communicating", "communicating only");
  static constexpr const char* kTexts[kGapCauses] = {
      "idle: the host waited", "idle: the host did something else", "idle: launch latency",
      "idle: copies", "idle: nothing left to do"};
  for (size_t cause = 0; cause < kGapCauses; ++cause)
    html += LegendItem(kGapClasses[cause], kTexts[cause]);
  return html + LegendItem("rest", "shorter gaps") + "</ul>";
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
  return HtmlBar(parts, whole, "computing " + HtmlPercent(use.computing_ns, whole));
}

void AddDevice(const ReportDevice& device, HtmlTable* table) {
  const DeviceUse& use = device.use;
  table->Text(device.rank);
  table->Html("device", HtmlText(std::to_string(use.device) + ": " + use.name, 60));
  const bool unknown = device.lost.Matters();
  table->Html("wide", unknown ? HtmlText(LostText(device.lost)) : DeviceBar(use));
  const uint64_t seen = use.SeenNs();
  for (const uint64_t ns : {use.computing_ns, use.communicating_alone_ns, use.copying_ns})
    unknown ? table->Unknown() : table->Percent(ns, seen);
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    if (static_cast<GapCause>(cause) == GapCause::kCopy) continue;
    unknown ? table->Unknown() : table->Duration(use.gaps_ns[cause]);
  }
  table->Duration(use.launch_delay.count == 0 ? 0 : use.launch_delay.Quantile(0.5));
  table->Number(static_cast<double>(use.memory_peak_bytes), HtmlBytes(use.memory_peak_bytes));
  table->EndRow();
}

void AddRank(const ReportRank& rank, HtmlTable* table) {
  table->Text(rank.name);
  table->Text(rank.host);
  table->Duration(rank.end_ns > rank.begin_ns ? rank.end_ns - rank.begin_ns : 0);
  const bool unknown = rank.lost.Matters();
  unknown ? table->Unknown() : table->Percent(rank.computing_ns, rank.seen_ns);
  unknown ? table->Unknown() : table->Duration(rank.computing_ns);
  unknown ? table->Unknown() : table->Percent(rank.busy_ns, rank.seen_ns);
  table->Count(rank.met);
  table->Count(rank.came_last);
  table->Duration(rank.waited_ns);
  table->Duration(rank.others_paid_ns);
  table->Code(rank.late_stage);
  table->EndRow();
}

std::string Sentences(const std::vector<std::string>& sentences, const char* name) {
  if (sentences.empty()) return "";
  std::string html = std::string("<ul class=\"") + name + "\">";
  const size_t shown = std::min(sentences.size(), kMostSentences);
  for (size_t i = 0; i < shown; ++i) html += "<li>" + HtmlText(sentences[i], 1000) + "</li>";
  if (shown < sentences.size()) html += "<li>" + HtmlCount(sentences.size() - shown) + " more</li>";
  return html + "</ul>";
}

}  // namespace

std::string HtmlDevices(const Report& report) {
  if (report.devices.empty()) return "";
  HtmlTable table("Devices",
                  {{"Rank", false},
                   {"Device", false},
                   {"Time seen", false, "From the device's first operation to its last"},
                   {"Computing"},
                   {"Comm.", true, "Only kernels that communicate ran"},
                   {"Copying", true, "Copies ran, whatever else did"},
                   {"Host waited", true, "Idle: the thread that submitted next had waited"},
                   {"Host busy", true, "Idle: the host did something else"},
                   {"Latency", true, "Idle: the work was submitted and began late"},
                   {"At end", true, "Idle: nothing followed"},
                   {"Launch", true, "Median delay, from the call to its first operation"},
                   {"Memory", true, "Its peak, as the program asked for it"}},
                  kMostDevices);
  for (size_t i = 0; i < report.devices.size() && !table.full(); ++i)
    AddDevice(report.devices[i], &table);
  return HtmlSection("devices", "Devices: busy, and idle by cause", "",
                     DeviceLegend() + table.Take(report.devices.size()));
}

std::string HtmlRanks(const Report& report) {
  if (report.ranks.empty()) return "";
  HtmlTable table("Ranks",
                  {{"Rank", false},
                   {"Host", false},
                   {"Length"},
                   {"Computing"},
                   {"Computing time"},
                   {"GPU busy"},
                   {"Collectives"},
                   {"Came last", true, "To how many of them it came last"},
                   {"Waited", true, "For other ranks, in collectives"},
                   {"Others waited", true, "For this rank, in collectives"},
                   {"Late in", false, "The stage in which it came last most often"}},
                  kMostRanks);
  for (size_t i = 0; i < report.ranks.size() && !table.full(); ++i)
    AddRank(report.ranks[i], &table);
  return HtmlSection("ranks", "Ranks", "", table.Take(report.ranks.size()));
}

std::string HtmlHealth(const Report& report) {
  std::string html = Sentences(report.problems, "bad") + Sentences(report.health, "health");
  HtmlTable table("Losses", {{"Lost", false}, {"Records"}}, kMostSentences);
  size_t lost = 0;
  for (const auto& [name, count] : report.losses) {
    if (count == 0) continue;
    ++lost;
    if (table.full()) continue;
    table.Text(name);
    table.Count(count);
    table.EndRow();
  }
  html += lost == 0 ? "<p>No record was lost.</p>" : table.Take(lost);
  return HtmlSection("health", "Health of this recording", "", html);
}

}  // namespace syncline
