// SPDX-License-Identifier: Apache-2.0
// What to change, and the waits and gaps behind it.
#include <algorithm>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewWaits = 10, kFewGaps = 10;
constexpr uint8_t kForPrograms = kFile | kSheet;
constexpr uint8_t kPageAndPrograms = kPage | kForPrograms;

constexpr Column kFindings[] = {
    {"number", "", ValueKind::kPlain, kForPrograms},
    {"kind", "", ValueKind::kText, kForPrograms},
    {"problem", "problem", ValueKind::kText, kPageAndPrograms},
    {"place", "where", ValueKind::kCode, kPageAndPrograms},
    {"where", "", ValueKind::kCode, kForPrograms},
    {"before", "", ValueKind::kCode, kForPrograms},
    {"after", "", ValueKind::kCode, kForPrograms},
    {"below", "", ValueKind::kCode, kForPrograms},
    {"statement", "", ValueKind::kCode, kForPrograms},
    {"lines", "", ValueKind::kText, kForPrograms},
    {"class", "", ValueKind::kText, kForPrograms},
    {"call", "call", ValueKind::kCode, kPageAndPrograms},
    {"parts", "", ValueKind::kText, kSheet},
    {"rank", "ranks", ValueKind::kText, kPageAndPrograms},
    {"stage", "stage", ValueKind::kCode, kPageAndPrograms},
    {"program", "", ValueKind::kCode, kForPrograms},
    {"count", "count", ValueKind::kCount, kPageAndPrograms},
    {"blocked_ms", "blocked", ValueKind::kDuration, kPageAndPrograms, "Of all ranks"},
    {"gain", "gain", ValueKind::kText, kPageAndPrograms,
     "How much earlier the job would have ended"},
    {"gain_ms", "", ValueKind::kDuration, kForPrograms},
    {"gain_percent", "", ValueKind::kShare, kForPrograms},
    {"ahead_ms", "", ValueKind::kDuration, kFile},
    {"workers", "", ValueKind::kCount, kFile},
    {"step", "", ValueKind::kCount, kFile},
    {"more_ms", "", ValueKind::kDuration, kFile},
    {"share_percent", "", ValueKind::kShare, kForPrograms},
    {"total_ms", "", ValueKind::kDuration, kSheet},
    {"worth", "", ValueKind::kText, kFile},
    {"assumption", "", ValueKind::kText, kForPrograms},
    {"advice", "", ValueKind::kText, kForPrograms},
    {"", "what to do", ValueKind::kText, kPage},
    {"devices_are", "", ValueKind::kText, kSheet},
    {"lost", "", ValueKind::kText, kForPrograms},
    {"limits", "", ValueKind::kText, kSheet},
    {"view", "", ValueKind::kText, kForPrograms},
    {"trace", "", ValueKind::kText, kFile},
    {"begin_ns", "", ValueKind::kPlain, kFile},
    {"label", "", ValueKind::kCode, kSheet},
    {"value", "", ValueKind::kCode, kSheet},
    {"device_ms", "", ValueKind::kDuration, kSheet}};

// The line behind the host's own work: there it stands in `line`.
std::string AfterOf(const ReportFinding& finding) {
  return LinesText(finding).empty() ? "" : finding.line;
}

std::vector<Value> CellsOf(const ReportFinding& finding, const Report& report) {
  std::string limits;
  for (const std::string& limit : report.limits) limits += Text(limits.empty() ? "" : ", ", limit);
  return {uint64_t{finding.number},
          finding.kind,
          finding.problem,
          PlaceText(finding),
          finding.where,
          finding.before,
          AfterOf(finding),
          finding.below,
          finding.statement,
          finding.lines,
          finding.wait_class,
          finding.call,
          PartsText(finding),
          finding.rank,
          finding.stage,
          finding.program,
          finding.count,
          finding.blocked_ns,
          Worded{GainText(finding), static_cast<double>(finding.gain_ns)},
          IfKnown(finding.gain_ns, finding.priced),
          IfKnown(finding.gain_percent / 100, finding.priced),
          finding.ahead_ns,
          finding.workers,
          IfKnown(uint64_t{finding.step}, finding.step != 0),
          IfKnown(finding.more_ns, finding.step != 0),
          finding.share == 0 ? Value(Nothing{}) : Value(finding.share),
          Nothing{},  // of rows that are no findings
          finding.worth,
          finding.assumption,
          finding.advice,
          AdviceText(finding),
          DevicesAre(report),
          LostText(finding.lost),
          std::move(limits),
          ViewText(report, finding),
          finding.trace,
          finding.begin_ns,
          Nothing{},
          Nothing{},
          Nothing{}};
}

constexpr Column kWaits[] = {{"", "where", ValueKind::kCode, kShort | kPage},
                             {"blocked_ms", "blocked", ValueKind::kDuration, kEverywhere},
                             {"count", "count", ValueKind::kCount, kEverywhere},
                             {"max_ms", "longest", ValueKind::kDuration, kEverywhere},
                             {"idle_after_ms", "GPU idle", ValueKind::kDuration, kEverywhere,
                              "Of the device, until its next operation"},
                             {"needless", "needless", ValueKind::kCount, kEverywhere,
                              "What they waited for was done already"},
                             {"class", "class", ValueKind::kText, kEverywhere},
                             {"call", "call", ValueKind::kCode, kEverywhere},
                             {"ranges", "in", ValueKind::kCode, kEverywhere},
                             {"where", "", ValueKind::kCode, kFile},
                             {"source", "", ValueKind::kText, kFile},
                             {"program", "", ValueKind::kCode, kFile}};

std::vector<Value> CellsOf(const ReportWait& wait) {
  const auto& [key, sums] = wait;
  return {Text(key.where.empty() ? key.call : key.where, OfProgram(key.program)),
          sums.blocked.total_ns,
          sums.blocked.count,
          sums.blocked.max_ns,
          sums.idle_after_ns,
          sums.needless,
          WaitClassName(key.wait_class),
          key.call,
          key.ranges,
          key.where,
          key.source,
          key.program};
}

constexpr Column kGaps[] = {
    {"", "before the next work", ValueKind::kCode, kShort | kPage},
    {"total_ms", "idle", ValueKind::kDuration, kEverywhere},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"max_ms", "longest", ValueKind::kDuration, kEverywhere},
    {"cause", "cause", ValueKind::kText, kEverywhere},
    {"call", "call", ValueKind::kCode, kEverywhere, "For which the host waited"},
    {"ranges", "in", ValueKind::kCode, kEverywhere, "Where the thread was that submitted next"},
    {"before", "", ValueKind::kCode, kFile},
    {"next", "", ValueKind::kCode, kFile},
    {"below", "", ValueKind::kCode, kFile},
    {"source", "", ValueKind::kText, kFile},
    {"program", "", ValueKind::kCode, kFile}};

std::vector<Value> CellsOf(const ReportGap& gap) {
  const auto& [key, sums] = gap;
  const std::string lines =
      key.lines.next == kOtherLines ? std::string(kOtherLines) : PlacesText(key.lines);
  const std::string place = !lines.empty()        ? lines
                            : !key.ranges.empty() ? Text("in ", InnermostRange(key.ranges))
                                                  : std::string(GapCauseName(key.cause));
  return {place + OfProgram(key.program),
          sums.total_ns,
          sums.count,
          sums.max_ns,
          GapCauseName(key.cause),
          key.call,
          key.ranges,
          key.lines.before,
          key.lines.next,
          key.lines.below,
          key.source,
          key.program};
}

}  // namespace

Section FindingsSection(const Report& report, const RowChoice& choice) {
  Section section{"findings", "What to change", kFindings, {}};
  FillRows(
      report.findings, choice, 0, [](const ReportFinding&) { return 0; },
      [&](const ReportFinding& finding) { return CellsOf(finding, report); }, &section);
  return section;
}

Section WaitsSection(const Report& report, const RowChoice& choice) {
  Section section{"waits", "Waits", kWaits, {}};
  FillRows(
      report.waits, Wished(report, choice), kFewWaits,
      [](const ReportWait& wait) { return wait.second.blocked.total_ns; },
      [](const ReportWait& wait) { return CellsOf(wait); }, &section);
  return section;
}

Section GapsSection(const Report& report, const RowChoice& choice) {
  Section section{"gaps", "Gaps of GPUs", kGaps, {}};
  FillRows(
      report.gaps, Wished(report, choice), kFewGaps,
      [](const ReportGap& gap) { return gap.second.total_ns; },
      [](const ReportGap& gap) { return CellsOf(gap); }, &section);
  return section;
}

bool KeepFinding(size_t number, Report* report) {
  const auto found =
      std::find_if(report->findings.begin(), report->findings.end(),
                   [number](const ReportFinding& finding) { return finding.number == number; });
  if (found == report->findings.end()) return false;
  report->findings = {ReportFinding(*found)};
  report->only_finding = true;
  return true;
}

// Of one rank its devices say it all.
std::vector<Section> TablesOf(const Report& report, const RowChoice& choice) {
  if (report.only_finding) return {};
  std::vector<Section> tables = {
      StagesSection(report, choice),          StepsSection(report, choice),
      OutliersSection(report, choice),        StepSharesSection(report, choice),
      HostWorkSection(report, choice),        AllocatorsSection(report, choice),
      MemoryPlacesSection(report, choice),    MemoryGrowthSection(report, choice),
      CompilationsSection(report, choice),    CompileStepsSection(report, choice),
      CompiledKernelsSection(report, choice), CompiledCallsSection(report, choice),
      ModulesSection(report, choice),         OperatorsSection(report, choice),
      RatesSection(report, choice),           KernelsSection(report, choice),
      CopiesSection(report, choice),          DevicesSection(report, choice)};
  if (report.ranks.size() > 1) {
    tables.push_back(RankStagesSection(report, choice));
    tables.push_back(RanksSection(report, choice));
    tables.push_back(CollectivesSection(report, choice));
    tables.push_back(MessagesSection(report, choice));
  }
  if (!report.wish.label.empty()) tables.insert(tables.begin(), LabelsSection(report, choice));
  tables.push_back(StageKernelsSection(report, choice));
  tables.push_back(WaitsSection(report, choice));
  tables.push_back(GapsSection(report, choice));
  return tables;
}

std::vector<std::string> NamesOfColumns(const Report& report) {
  std::vector<std::string> names;
  for (const Section& section : TablesOf(report, {false, false, 0})) {
    for (const Column& column : section.columns) {
      if (*column.head != 0 && std::find(names.begin(), names.end(), column.head) == names.end())
        names.emplace_back(column.head);
    }
  }
  return names;
}

bool HasColumn(const Report& report, std::string_view name) {
  std::vector<Section> sections = TablesOf(report, {false, false, 0});
  sections.push_back(FindingsSection(report, {false, false, 0}));
  return std::any_of(sections.begin(), sections.end(), [name](const Section& section) {
    return ColumnNamed(section, name) != SIZE_MAX;
  });
}

}  // namespace syncline
