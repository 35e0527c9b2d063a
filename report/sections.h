// SPDX-License-Identifier: Apache-2.0
// The sections of a report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "report/section.h"

namespace syncline {

// What to change.
Section FindingsSection(const Report& report, const RowChoice& choice);
Section StagesSection(const Report& report, const RowChoice& choice);
// By the values of the label that is wished for, or of all.
Section LabelsSection(const Report& report, const RowChoice& choice);
Section StepsSection(const Report& report, const RowChoice& choice);
// Steps that took longer than twice the median, and what they have more of.
Section OutliersSection(const Report& report, const RowChoice& choice);
// "batch 7/40": as the program wrote it, where that is known.
std::string NameOfStep(const ReportSteps& steps, const Step& step);
struct LongerStep {
  std::string words;  // "making data at train.py:8 main()"; empty: not known
  uint64_t ns = 0;    // so much more of it than other steps
};
LongerStep LongerBy(const Report& report, const ReportSteps& steps, const Step& step);
// What the time of devices goes by with in all steps of a rank, and in the longest of them.
Section StepSharesSection(const Report& report, const RowChoice& choice);
// Where a framework's compiler told what it did.
Section CompilationsSection(const Report& report, const RowChoice& choice);
// In which steps that was, and how much of them.
Section CompileStepsSection(const Report& report, const RowChoice& choice);
// The kernels that it generated.
Section CompiledKernelsSection(const Report& report, const RowChoice& choice);
// What it calls instead of any.
Section CompiledCallsSection(const Report& report, const RowChoice& choice);
// Where frameworks' allocators told of their blocks.
Section AllocatorsSection(const Report& report, const RowChoice& choice);
// By line, operator and class: when there was no more memory, and at the peak.
Section MemoryPlacesSection(const Report& report, const RowChoice& choice);
Section MemoryGrowthSection(const Report& report, const RowChoice& choice);
// Where a framework's operators were recorded.
Section OperatorsSection(const Report& report, const RowChoice& choice);
// A model's modules, as a tree.
Section ModulesSection(const Report& report, const RowChoice& choice);
// What these computed, by the format of the numbers, and the best rate that was seen.
Section RatesSection(const Report& report, const RowChoice& choice);
Section KernelsSection(const Report& report, const RowChoice& choice);
Section ClassesSection(const Report& report);
// Stage by stage; with `all_tables`.
Section StageKernelsSection(const Report& report, const RowChoice& choice);
Section CopiesSection(const Report& report, const RowChoice& choice);
Section DevicesSection(const Report& report, const RowChoice& choice);
// idle, compute and non_compute of each device, as HTA's get_temporal_breakdown has them.
Section TemporalSection(const Report& report);
// Records, by why they are not there.
Section LossesSection(const Report& report, const RowChoice& choice);
Section RanksSection(const Report& report, const RowChoice& choice);
// Which rank came last to the collectives of a framework's operators, by group.
Section CollectivesSection(const Report& report, const RowChoice& choice);
// Which rank waited for another one's sends or receives, by range.
Section MessagesSection(const Report& report, const RowChoice& choice);
// The same stages, rank by rank.
Section RankStagesSection(const Report& report, const RowChoice& choice);
// By line, call and ranges; a gap's by its cause.
Section WaitsSection(const Report& report, const RowChoice& choice);
// What the host did while devices had nothing to do, by function; if it was sampled.
Section HostWorkSection(const Report& report, const RowChoice& choice);
Section GapsSection(const Report& report, const RowChoice& choice);

// Of the tables that people see, each once: what rows may be sorted by.
std::vector<std::string> NamesOfColumns(const Report& report);
bool HasColumn(const Report& report, std::string_view name);  // also as its key in JSON or CSV

// Leaves one finding, by its number, and nothing else. False: there is none.
bool KeepFinding(size_t number, Report* report);

// Those that people see as tables, in this order; what has no rows, too.
std::vector<Section> TablesOf(const Report& report, const RowChoice& choice);

}  // namespace syncline
