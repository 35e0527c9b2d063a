// SPDX-License-Identifier: Apache-2.0
// Tables of sums by name: stages, kernels, copies.
#include <algorithm>

#include "report/words.h"
#include "writers/tables/html_parts.h"
#include "writers/tables/html_table.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr size_t kMostSums = 500;

constexpr const char* kKernelNames[kKernelClasses] = {"matmul", "attention",    "communication",
                                                      "memory", "element-wise", "other"};
constexpr const char* kKernelIds[kKernelClasses] = {"k0", "k1", "k2", "k3", "k4", "k5"};

size_t ClassIndex(KernelClass kernel_class) {
  return std::min(static_cast<size_t>(kernel_class), kKernelClasses - 1);
}

std::string KernelChip(KernelClass kernel_class) {
  return std::string("<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"") +
         kKernelIds[ClassIndex(kernel_class)] + "\" width=\"10\" height=\"10\"/></svg>" +
         kKernelNames[ClassIndex(kernel_class)];
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
    const std::string share = " " + HtmlPercent(ns, whole);
    legend += "<li>" + KernelChip(static_cast<KernelClass>(i)) + share + "</li>";
    label += (label.empty() ? "" : ", ") + std::string(kKernelNames[i]) + share;
  }
  return "<div class=\"classes\">" + HtmlBar(parts, whole, label) + legend + "</ul></div>";
}

void AddSums(const DurationSums& sums, HtmlTable* table) {
  table->Count(sums.count);
  table->Duration(sums.total_ns);
  table->Duration(sums.count == 0 ? 0 : sums.Quantile(0.5));
  table->Duration(sums.count == 0 ? 0 : sums.Quantile(0.95));
  table->Duration(sums.max_ns);
}

// `lost`: too many records of devices.
void AddStage(const ReportStage& stage, bool lost, HtmlTable* table) {
  table->Code(StageName(stage.key));
  table->Text(stage.key.source);
  AddSums(stage.sums, table);
  table->Duration(stage.work.blocked_ns);
  lost ? table->Unknown() : table->Percent(stage.work.busy_ns, stage.work.busy_of_ns);
  table->Duration(stage.work.device_ns);
  table->Count(stage.work.launched);
  table->Number(static_cast<double>(stage.work.memory_peak), HtmlBytes(stage.work.memory_peak));
  table->EndRow();
}

void AddKernel(const ReportKernel& kernel, HtmlTable* table) {
  table->Code(kernel.key.name);
  table->Html("t chip", KernelChip(kernel.kernel_class));
  table->Number(kernel.share, HtmlShare(kernel.share));
  AddSums(kernel.sums, table);
  table->Count(kernel.starved.count);
  table->Duration(kernel.starved.idle_ns);
  table->EndRow();
}

}  // namespace

std::string HtmlStages(const Report& report) {
  if (report.stages.empty()) return "";
  HtmlTable table("Stages",
                  {{"Stage", false},
                   {"Source", false},
                   {"Times"},
                   {"Total", true, "Of all ranks"},
                   {"Median"},
                   {"95 %", true, "95 % of them were shorter"},
                   {"Longest"},
                   {"Blocked", true, "Threads waited for devices in it"},
                   {"GPU busy", true, "While it was open"},
                   {"GPU time", true, "Of the operations submitted in it, added up"},
                   {"Launched", true, "Operations submitted in it"},
                   {"Memory peak"}},
                  kMostSums);
  for (size_t i = 0; i < report.stages.size() && !table.full(); ++i)
    AddStage(report.stages[i], report.lost_matters, &table);
  return HtmlSection("stages", "Stages", "Named ranges of the program, of all ranks.",
                     table.Take(report.stages.size()));
}

std::string HtmlKernels(const Report& report) {
  if (report.kernels.empty()) return "";
  HtmlTable table("Kernels",
                  {{"Kernel", false},
                   {"Class", false},
                   {"Share", true, "Of all kernels' time"},
                   {"Times"},
                   {"Total", true, "Of all ranks"},
                   {"Median"},
                   {"95 %", true, "95 % of them were shorter"},
                   {"Longest"},
                   {"Starved", true, "Submitted only when the device had nothing left to do"},
                   {"Idle before", true, "How long the device had had nothing to do then"}},
                  kMostSums);
  for (size_t i = 0; i < report.kernels.size() && !table.full(); ++i)
    AddKernel(report.kernels[i], &table);
  return HtmlSection("kernels", "Kernels", "",
                     ClassBar(report) + table.Take(report.kernels.size()));
}

std::string HtmlCopies(const Report& report) {
  if (report.copies.empty()) return "";
  HtmlTable table("Copies",
                  {{"Copy", false},
                   {"Bytes"},
                   {"GB/s", true, "Bytes by total time"},
                   {"Times"},
                   {"Total", true, "Of all ranks"},
                   {"Median"},
                   {"95 %", true, "95 % of them were shorter"},
                   {"Longest"}},
                  kMostSums);
  for (size_t i = 0; i < report.copies.size() && !table.full(); ++i) {
    const ReportCopy& copy = report.copies[i];
    table.Code(copy.key.name);
    table.Number(static_cast<double>(copy.sums.bytes), HtmlBytes(copy.sums.bytes));
    const uint64_t ns = copy.sums.durations.total_ns;
    const double rate =
        ns == 0 ? 0 : static_cast<double>(copy.sums.bytes) / static_cast<double>(ns);
    table.Number(rate, ns == 0 ? "" : HtmlNumber(rate, rate < 10 ? 2 : 1));
    AddSums(copy.sums.durations, &table);
    table.EndRow();
  }
  return HtmlSection("copies", "Copies and sets", "", table.Take(report.copies.size()));
}

}  // namespace syncline
