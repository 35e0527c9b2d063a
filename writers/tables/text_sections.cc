// SPDX-License-Identifier: Apache-2.0
// What stands in each column. Of many ranks those come first that an engineer looks for.
#include "writers/tables/text_sections.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kStageRows = 6, kStepRows = 3, kKernelRows = 6, kCopyRows = 3, kDeviceRows = 4,
                 kRankRows = 4;

// The rows with the highest `value` first.
template <typename Row, typename Value>
std::vector<const Row*> Sorted(const std::vector<Row>& rows, const Value& value) {
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Row* a, const Row* b) { return value(*a) > value(*b); });
  return sorted;
}

TextTable StagesTable(const Report& report, size_t most) {
  TextTable table("Stages", {"total", "count", "median", "blocked", "GPU busy", "95 %", "longest"},
                  most);
  for (const ReportStage& stage : report.stages) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    const DurationSums& sums = stage.sums;
    table.Add(StageName(stage.key),
              {FineDuration(sums.total_ns), CountText(sums.count), FineDuration(sums.Quantile(0.5)),
               DurationOrDash(stage.work.blocked_ns),
               ShareText(stage.work.busy_ns, stage.work.busy_of_ns, report.lost_matters),
               FineDuration(sums.Quantile(0.95)), FineDuration(sums.max_ns)});
  }
  return table;
}

const Step& LongestOf(const ReportSteps& series) {
  return *std::max_element(
      series.steps.begin(), series.steps.end(),
      [](const Step& a, const Step& b) { return a.duration_ns < b.duration_ns; });
}

TextTable StepsTable(const Report& report, size_t most) {
  TextTable table("Steps", {"median", "count", "longest", "which", "outliers"}, most);
  const auto slowest =
      Sorted(report.steps, [](const ReportSteps& series) { return series.median_ns; });
  for (const ReportSteps* series : slowest) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    if (series->steps.empty()) continue;
    const Step& longest = LongestOf(*series);
    table.Add(PrintableText(Text(series->rank, ", ", series->name)),
              {FineDuration(series->median_ns), CountText(series->steps.size()),
               FineDuration(longest.duration_ns), Text("no. ", longest.number),
               CountText(series->outliers.size())});
  }
  return table;
}

TextTable KernelsTable(const Report& report, size_t most) {
  TextTable table("Kernels", {"total", "share", "count", "class", "median", "starved"}, most);
  for (const ReportKernel& kernel : report.kernels) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    const DurationSums& sums = kernel.sums;
    table.Add(KernelName(kernel.key.name),
              {FineDuration(sums.total_ns), ShareText(kernel.share), CountText(sums.count),
               KernelClassName(kernel.kernel_class), FineDuration(sums.Quantile(0.5)),
               DurationOrDash(kernel.starved.idle_ns)});
  }
  table.Note(Text("by class: ", ClassesText(report)));
  return table;
}

TextTable CopiesTable(const Report& report, size_t most) {
  TextTable table("Copies", {"total", "bytes", "count", "rate"}, most);
  for (const ReportCopy& copy : report.copies) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    table.Add(PrintableText(copy.key.name),
              {FineDuration(copy.sums.durations.total_ns), SizeText(copy.sums.bytes),
               CountText(copy.sums.durations.count), RateText(copy.sums)});
  }
  return table;
}

TextTable DevicesTable(const Report& report, size_t most) {
  TextTable table("Devices", {"busy", "compute", "comm.", "copies", "memory", "idle"}, most);
  const auto idlest =
      Sorted(report.devices, [](const ReportDevice& device) { return device.use.IdleNs(); });
  for (const ReportDevice* device : idlest) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    const DeviceUse& use = device->use;
    const uint64_t seen = use.SeenNs();
    const bool unknown = device->lost.Matters();
    table.Add(
        DeviceName(*device),
        {ShareText(use.busy_ns, seen, unknown), ShareText(use.computing_ns, seen, unknown),
         ShareText(use.communicating_ns, seen, unknown), ShareText(use.copying_ns, seen, unknown),
         SizeText(use.memory_peak_bytes), unknown ? "?" : FineDuration(use.IdleNs())});
  }
  return table;
}

// Of one rank its devices say it all.
TextTable RanksTable(const Report& report, size_t most) {
  TextTable table("Ranks", {"compute", "busy", "last", "paid", "waited", "late in"}, most);
  if (report.ranks.size() < 2) return table;
  const auto costliest = Sorted(report.ranks, [](const ReportRank& rank) {
    return std::make_pair(rank.others_paid_ns, rank.computing_ns);
  });
  for (const ReportRank* rank : costliest) {
    if (!table.Wants()) {
      table.Skip();
      continue;
    }
    table.Add(RankName(*rank), {rank->lost.Matters() ? "?" : DurationOrDash(rank->computing_ns),
                                ShareText(rank->busy_ns, rank->seen_ns, rank->lost.Matters()),
                                Text(CountText(rank->came_last), "/", CountText(rank->met)),
                                DurationOrDash(rank->others_paid_ns),
                                DurationOrDash(rank->waited_ns), PrintableText(rank->late_stage)});
  }
  table.Note(Text("imbalance ", report.lost_matters ? "?" : ShareText(report.imbalance),
                  "; paid: what the others waited for the rank in collectives"));
  return table;
}

}  // namespace

std::vector<TextTable> TablesOf(const Report& report, bool all_rows) {
  const auto most = [all_rows](size_t rows) { return all_rows ? SIZE_MAX : rows; };
  return {StagesTable(report, most(kStageRows)),   StepsTable(report, most(kStepRows)),
          KernelsTable(report, most(kKernelRows)), CopiesTable(report, most(kCopyRows)),
          DevicesTable(report, most(kDeviceRows)), RanksTable(report, most(kRankRows))};
}

}  // namespace syncline
