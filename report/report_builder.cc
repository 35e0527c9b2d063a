// SPDX-License-Identifier: Apache-2.0
// Sections of a report that are sums by name: stages, steps, kernels, copies, devices.
#include "report/report_builder.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/compile_sections.h"
#include "report/compiled_sections.h"
#include "report/device_marks.h"
#include "report/host_work.h"
#include "report/memory_sections.h"
#include "report/mending_order.h"
#include "report/module_sections.h"
#include "report/operator_sections.h"
#include "report/rank_stages.h"
#include "report/ranked_changes.h"
#include "report/report_endings.h"
#include "report/report_health.h"
#include "report/report_ranks.h"
#include "report/stage_kernels.h"

namespace syncline {
namespace {

void AddStages(const RunFindings& findings, Report* report) {
  for (const auto& [key, sums] : findings.ranges) {
    const auto work = findings.stages.find(key);
    report->stages.push_back(
        {key, sums, work == findings.stages.end() ? StageWork{} : work->second});
  }
  StableSort(&report->stages, [](const ReportStage& a, const ReportStage& b) {
    return a.sums.total_ns > b.sums.total_ns;
  });
}

void AddLabels(const RunFindings& findings, Report* report) {
  for (const auto& [key, sums] : findings.labels) report->labels.push_back({key, sums});
  StableSort(&report->labels, [](const ReportLabel& a, const ReportLabel& b) {
    return a.sums.durations.total_ns > b.sums.durations.total_ns;
  });
}

ReportSteps StepsOf(const std::string& rank, const StepSeries& series) {
  ReportSteps steps;
  steps.rank = rank;
  steps.pid = series.pid;
  steps.name = series.name;
  steps.steps = series.steps;
  std::sort(steps.steps.begin(), steps.steps.end());
  steps.median_ns = MedianNs(steps.steps);
  steps.outliers = StepOutliers(steps.steps);
  steps.shares = series.shares;
  steps.longest = series.longest;
  steps.work = series.work;
  for (size_t i = 0; i < series.allocated_peaks.size() && i < series.steps.size(); ++i) {
    if (series.allocated_peaks[i] <= steps.allocated_peak) continue;
    steps.allocated_peak = series.allocated_peaks[i];
    steps.allocated_peak_in = series.steps[i].number;
  }
  for (const uint64_t held : series.held_peaks) steps.held_peak = std::max(steps.held_peak, held);
  return steps;
}

// What tells the process from others of the rank with such steps; empty: there are none.
std::string ProcessOf(const StepSeries& series, const std::vector<StepSeries>& of_rank) {
  bool several = false, one_program = true, of_program = false;
  for (const StepSeries& other : of_rank) {
    if (other.name != series.name || other.pid == series.pid) continue;
    several = true;
    one_program = one_program && other.program == series.program;
    of_program = of_program || other.program == series.program;
  }
  if (!several) return "";
  const std::string process = Text("process ", series.pid);
  if (one_program || series.program.empty()) return Text(" (", process, ")");
  return Text(" (", series.program, of_program ? Text(", ", process) : "", ")");
}

void AddSteps(const RunFindings& findings, Report* report) {
  for (const ReportRank& rank : report->ranks) {
    const auto part = findings.ranks.find(rank.name);
    if (part == findings.ranks.end()) continue;
    for (const StepSeries& series : part->second.steps) {
      if (series.steps.empty()) continue;
      report->steps.push_back(StepsOf(rank.name, series));
      report->steps.back().process = ProcessOf(series, part->second.steps);
    }
  }
}

// Those beyond the most are one row.
void JoinOthers(std::vector<ReportKernel>* kernels) {
  if (kernels->size() <= kMostKernels) return;
  ReportKernel others;
  others.key.name = Text("(", CountText(kernels->size() - kMostKernels), " other kernels)");
  for (auto at = kernels->begin() + kMostKernels; at != kernels->end(); ++at) {
    others.sums.Add(at->sums);
    others.starved.Add(at->starved);
    others.share += at->share;
  }
  kernels->resize(kMostKernels);
  kernels->push_back(std::move(others));
}

void AddKernels(const RunFindings& findings, const KernelPatterns& patterns, Report* report) {
  uint64_t total_ns = 0;
  std::vector<std::pair<const OpKey*, const DurationSums*>> costliest;
  for (const auto& [key, sums] : findings.kernels) {
    total_ns += sums.total_ns;
    costliest.emplace_back(&key, &sums);
  }
  StableSort(&costliest,
             [](const auto& a, const auto& b) { return a.second->total_ns > b.second->total_ns; });
  for (const auto& [key, sums] : costliest) {
    ReportKernel kernel = {*key, patterns.ClassOf(key->name), *sums, 0, {}};
    report->kernel_class_ns[static_cast<size_t>(kernel.kernel_class)] += sums->total_ns;
    if (total_ns != 0)
      kernel.share = static_cast<double>(sums->total_ns) / static_cast<double>(total_ns);
    if (const auto starved = findings.starved.find(*key); starved != findings.starved.end())
      kernel.starved = starved->second;
    if (const auto fill = findings.fills.find(*key); fill != findings.fills.end())
      kernel.fill = fill->second;
    report->kernels.push_back(std::move(kernel));
  }
  JoinOthers(&report->kernels);
}

// Costliest first.
void AddWaitsAndGaps(const RunFindings& findings, Report* report) {
  report->waits.assign(findings.waits.begin(), findings.waits.end());
  report->gaps.assign(findings.gaps.begin(), findings.gaps.end());
  StableSort(&report->waits, [](const ReportWait& a, const ReportWait& b) {
    return a.second.blocked.total_ns > b.second.blocked.total_ns;
  });
  StableSort(&report->gaps, [](const ReportGap& a, const ReportGap& b) {
    return a.second.total_ns > b.second.total_ns;
  });
}

void AddCollectives(const RankMeetings& meetings, Report* report) {
  report->collectives.assign(meetings.collectives.begin(), meetings.collectives.end());
  StableSort(&report->collectives, [](const ReportCollective& a, const ReportCollective& b) {
    return a.second.waited_ns > b.second.waited_ns;
  });
}

// Those that were waited for.
void AddMessages(const RankMeetings& meetings, Report* report) {
  for (const auto& row : meetings.messages) {
    if (row.second.waited != 0) report->messages.push_back(row);
  }
  StableSort(&report->messages, [](const ReportMessages& a, const ReportMessages& b) {
    return a.second.waited_ns > b.second.waited_ns;
  });
}

void AddCopies(const RunFindings& findings, Report* report) {
  for (const auto& [key, sums] : findings.copies) report->copies.push_back({key, sums});
  StableSort(&report->copies, [](const ReportCopy& a, const ReportCopy& b) {
    return a.sums.durations.total_ns > b.sums.durations.total_ns;
  });
}

void AddDevices(const RunFindings& findings, Report* report) {
  for (const ReportRank& rank : report->ranks) {
    const auto part = findings.ranks.find(rank.name);
    if (part == findings.ranks.end()) continue;
    for (const DeviceUse& use : part->second.devices) {
      report->simulated = report->simulated || use.name.find("Simulated") != std::string::npos;
      report->devices.push_back({rank.name, use});
    }
  }
  MarkDevices(findings, report);
}

}  // namespace

Report BuildReport(const RunFindings& findings, const RankMeetings& meetings,
                   const KernelPatterns& patterns, ReportSources sources) {
  Report report;
  report.directory = sources.directory;
  report.findings = FindAnswers(findings, meetings, sources.all);
  for (size_t i = 0; i < report.findings.size(); ++i) report.findings[i].number = i + 1;
  AddHostWork(findings, &report);
  report.order = OrderText(findings, WorkingTimeNs(findings), report.findings);
  AddRanks(findings, meetings, &report);
  AddStages(findings, &report);
  AddLabels(findings, &report);
  AddCollectives(meetings, &report);
  AddMessages(meetings, &report);
  AddStageKernels(findings, &report);
  AddRankStages(findings, &report);
  AddRangeShares(findings, &report);
  AddEndings(findings, &report);
  AddSteps(findings, &report);
  AddAllocators(findings, &report);
  AddOperators(findings, &report);
  AddCompilations(findings, &report);
  AddCompiled(findings, &report);
  AddModules(findings, &report);
  AddKernels(findings, patterns, &report);
  AddCopies(findings, &report);
  AddDevices(findings, &report);
  report.all_tables = sources.all;
  if (sources.all) AddWaitsAndGaps(findings, &report);
  const auto [working, seen] = BusyTime(findings);
  if (seen != 0) report.working = static_cast<double>(working) / static_cast<double>(seen);
  AddHealth(findings, meetings, sources, &report);
  report.problems = std::move(sources.problems);
  return report;
}

}  // namespace syncline
