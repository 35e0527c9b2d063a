// SPDX-License-Identifier: Apache-2.0
// Values as words, and what a section shows.
#include "report/section.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

TEST(SectionTest, ValuesReadTheSameWhereverTheyStand) {
  EXPECT_EQ(ValueText(uint64_t{24'400'000}, ValueKind::kDuration), "24.4 ms");
  EXPECT_EQ(ValueText(uint64_t{0}, ValueKind::kDuration), "-");
  EXPECT_EQ(ValueText(uint64_t{0}, ValueKind::kCount), "0");
  EXPECT_EQ(ValueText(uint64_t{1234}, ValueKind::kCount), "1,234");
  EXPECT_EQ(ValueText(uint64_t{1234}, ValueKind::kPlain), "1234");
  EXPECT_EQ(ValueText(uint64_t{0}, ValueKind::kBytes), "-");
  EXPECT_EQ(ValueText(uint64_t{1 << 20}, ValueKind::kRate), "1.0 MiB/s");
  EXPECT_EQ(ValueText(int64_t{-1}, ValueKind::kPlain), "-1");
  EXPECT_EQ(ValueText(0.125, ValueKind::kShare), "12 %");
  EXPECT_EQ(ValueText(ShareOf(1, 0), ValueKind::kShare), "-");
  EXPECT_EQ(ValueText(Unknown{}, ValueKind::kShare), "?");
  EXPECT_EQ(ValueText(std::string("a\x1b"), ValueKind::kText), "a?");
}

constexpr Column kColumns[] = {{"name", "name", ValueKind::kCode, kEverywhere},
                               {"time_ms", "time", ValueKind::kDuration, kEverywhere},
                               {"bytes", "", ValueKind::kBytes, kFile},
                               {"", "share", ValueKind::kShare, kShort}};

TEST(SectionTest, AColumnThatSaysNothingIsNotShown) {
  Section section{"s", "S", kColumns, {}};
  section.rows = {{std::string("a"), uint64_t{0}, uint64_t{1}, Nothing{}},
                  {std::string("b"), uint64_t{0}, uint64_t{1}, Nothing{}}};
  EXPECT_EQ(ColumnsFor(section, kShort), std::vector<size_t>{0});
  EXPECT_EQ(ColumnsFor(section, kFile), (std::vector<size_t>{0, 2}));
  section.rows[1][3] = Unknown{};
  section.rows[0][1] = uint64_t{7};
  EXPECT_EQ(ColumnsFor(section, kShort), (std::vector<size_t>{0, 1, 3}))
      << "what is unknown counts";
}

TEST(SectionTest, FewRowsAndTheCostliestFirst) {
  const std::vector<uint64_t> rows = {5, 9, 7, 9};
  const auto fill = [&](const RowChoice& choice) {
    Section section{"s", "S", kColumns, {}};
    FillRows(
        rows, choice, 2, [](uint64_t row) { return row; },
        [](uint64_t row) { return std::vector<Value>{row}; }, &section);
    EXPECT_EQ(section.of, 4u);
    std::vector<uint64_t> shown;
    for (const auto& row : section.rows) shown.push_back(std::get<uint64_t>(row[0]));
    return shown;
  };
  EXPECT_EQ(fill({}), rows);
  EXPECT_EQ(fill({true, true}), (std::vector<uint64_t>{9, 9}));
  EXPECT_EQ(fill({false, true, 3}), (std::vector<uint64_t>{9, 9, 7}));
  EXPECT_EQ(fill({true, false}), (std::vector<uint64_t>{5, 9}));
}

TEST(SectionTest, ALongStepWithoutDevices) {
  Report report;
  ReportSteps steps;
  steps.steps = {{1000, 100, 6}, {1100, 300, 7}};
  steps.median_ns = 100;
  LongStep& longest = steps.longest.emplace_back();
  longest.begin_ns = 1100;
  EXPECT_EQ(LongerBy(report, steps, steps.steps[1]).words, "");
  longest.more_ns = 200;
  EXPECT_EQ(LongerBy(report, steps, steps.steps[1]).words, "in no recorded call");
  EXPECT_EQ(LongerBy(report, steps, steps.steps[1]).ns, 200u);
  longest.range = "load";
  EXPECT_EQ(LongerBy(report, steps, steps.steps[1]).words, "in `load`");
  longest.what = "read";
  longest.where = "a.py:8 f()";
  EXPECT_EQ(LongerBy(report, steps, steps.steps[1]).words,
            "waiting in read at a.py:8 f() in `load`");
  EXPECT_EQ(LongerBy(report, steps, steps.steps[0]).words, "") << "one as all are";
}

TEST(SectionTest, ALongStepSaysWhatItHasMoreOf) {
  Report report;
  report.ranks.resize(2);
  report.ranks[0].name = "rank-0";
  report.ranks[1].name = "rank-1";
  report.ranks[1].shares[TimeKind::kComputing] = 1;
  report.ranks[0].rank = 0;
  ReportSteps& steps = report.steps.emplace_back();
  steps.rank = "rank-0";
  steps.name = "step #";
  steps.median_ns = 100;
  steps.steps = {{1000, 100, 6}, {1100, 300, 7}, {1400, 100, 8}};
  steps.outliers = {1};
  steps.shares[TimeKind::kComputing] = 300;
  steps.shares[TimeKind::kMakingData] = 200;
  LongStep& longest = steps.longest.emplace_back();
  longest.begin_ns = 1100;
  longest.shares[TimeKind::kComputing] = 100;
  longest.shares[TimeKind::kMakingData] = 200;
  longest.where = "a.py:8 f()";
  longest.name = "batch 7/40";
  steps.longest.push_back({1, {}});  // of no step that is known
  Section section = StepSharesSection(report, {});
  ASSERT_EQ(section.rows.size(), 3u);
  const auto text = [&](size_t row, const char* column) {
    const size_t at = ColumnNamed(section, column);
    return ValueText(section.rows[row][at], section.columns[at].kind);
  };
  EXPECT_EQ(text(0, "time of GPUs in"), "rank-0, step #");
  EXPECT_EQ(text(0, "compute"), "60 %");
  EXPECT_EQ(text(0, "longer_by"), "");
  EXPECT_EQ(text(1, "time of GPUs in"), "rank-0, batch 7/40") << "as the program wrote it";
  EXPECT_EQ(text(1, "data"), "67 %");
  EXPECT_EQ(text(1, "longer_by"), "making data at a.py:8 f()");
  EXPECT_EQ(text(1, "view"), "--rank 0 --at 0.000001s");
  EXPECT_EQ(text(2, "time of GPUs in"), "rank-1, first to last work");
  EXPECT_EQ(section.note, "rank-0 is idle: making data 40 %");
  section = OutliersSection(report, {});
  ASSERT_EQ(section.rows.size(), 1u);
  EXPECT_EQ(text(0, "outlier"), "rank-0, batch 7/40");
  EXPECT_EQ(text(0, "took"), "300 ns");
  EXPECT_EQ(text(0, "median"), "100 ns");
  EXPECT_EQ(text(0, "longer by"), "making data at a.py:8 f()");
  EXPECT_EQ(text(0, "by"), "160 ns") << "200 of 300, where 40 of 100 are usual";
  EXPECT_EQ(text(0, "view"), "--rank 0 --at 0.000001s");
  EXPECT_EQ(section.note,
            "batch 7/40: 160 ns more making data at a.py:8 f(); open it with "
            "`syncline view DIR --rank 0 --at 0.000001s`");
  report.steps[0].longest[0].what = "cudaMalloc";
  section = OutliersSection(report, {});
  EXPECT_EQ(text(0, "longer by"), "making data in cudaMalloc at a.py:8 f()");
  report.lost_matters = true;
  EXPECT_EQ(ValueText(OutliersSection(report, {}).rows[0][3], ValueKind::kText), "");
  section = StepSharesSection(report, {});
  EXPECT_EQ(text(0, "compute"), "?");
  EXPECT_EQ(section.note, "");
}

TEST(SectionTest, ALongStepThatCompiledSaysSo) {
  Report report;
  ReportSteps& steps = report.steps.emplace_back();
  steps.rank = "rank-0";
  steps.pid = 7;
  steps.median_ns = 100;
  steps.steps = {{1000, 500, 3}};
  CompileStep& compiled = report.compile_steps.emplace_back().step;
  report.compile_steps[0].rank = "rank-0";
  compiled.pid = 7;
  compiled.begin_ns = 1000;
  compiled.duration_ns = 500;
  compiled.compile_ns = 450;
  compiled.what = "a.py:4 f()";
  EXPECT_EQ(LongerBy(report, steps, steps.steps[0]).words, "compiling a.py:4 f()");
  EXPECT_EQ(LongerBy(report, steps, steps.steps[0]).ns, 400u);
  compiled.compile_ns = 200;
  EXPECT_EQ(LongerBy(report, steps, steps.steps[0]).words, "") << "half of it is not most of it";
  compiled.compile_ns = 450;
  report.compile_steps[0].rank = "rank-1";
  EXPECT_EQ(LongerBy(report, steps, steps.steps[0]).words, "") << "of another rank";
}

// A key that stands twice would hide a value, a missing cell would shift the others.
TEST(SectionTest, EachSectionHasACellAColumnAndAKeyOnce) {
  Report report;
  report.findings.emplace_back();
  report.stages.emplace_back();
  ReportSteps& steps = report.steps.emplace_back();
  steps.shares[TimeKind::kComputing] = 1;
  steps.steps.emplace_back();
  steps.outliers = {0};
  report.modules.emplace_back();
  report.compilations.emplace_back();
  report.compile_steps.emplace_back();
  report.compiled.emplace_back();
  report.compiled.emplace_back().key.kind = CompiledKind::kFallback;
  AllocatorUse& allocator = report.allocators.emplace_back().use;
  allocator.peak.groups.emplace_back();
  allocator.growth.emplace_back();
  report.operators.emplace_back().sums.computed.flops[1] = 8;
  report.kernels.emplace_back();
  report.copies.emplace_back();
  report.devices.emplace_back();
  report.ranks.resize(2);
  report.rank_stages.emplace_back();
  report.waits.emplace_back();
  report.gaps.emplace_back();
  report.host_work.emplace_back();
  report.messages.emplace_back();
  report.collectives.emplace_back();
  report.all_tables = true;
  report.stage_kernels.emplace_back().kernels.emplace_back();
  report.losses["ring_full"] = 1;
  std::vector<Section> sections = TablesOf(report, {});
  EXPECT_EQ(sections.size(), 25u);
  sections.push_back(FindingsSection(report, {}));
  sections.push_back(TemporalSection(report));
  sections.push_back(ClassesSection(report));
  sections.push_back(LossesSection(report, {}));
  for (const Section& section : sections) {
    ASSERT_FALSE(section.rows.empty()) << section.id;
    EXPECT_EQ(section.rows[0].size(), section.columns.size()) << section.id;
    std::set<std::string> keys;
    for (const Column& column : section.columns) {
      const bool for_people = (column.places & (kShort | kPage | kPageToo)) != 0;
      EXPECT_EQ(for_people, *column.head != 0) << section.id << " " << column.key;
      EXPECT_EQ((column.places & (kFile | kSheet)) != 0, *column.key != 0)
          << section.id << " " << column.head;
      const bool is_new = *column.key == 0 || keys.insert(column.key).second;
      EXPECT_TRUE(is_new) << column.key;
    }
  }
}

TEST(SectionTest, RowsAreSortedByTheColumnThatIsNamed) {
  Report report;
  report.ranks.resize(3);
  const uint64_t computing[] = {20, 30, 10};
  for (size_t i = 0; i < 3; ++i) {
    report.ranks[i].name = Text("rank-", i);
    report.ranks[i].computing_ns = computing[i];
    report.ranks[i].met = 40;
    report.ranks[i].came_last = 9 * i;
  }
  report.ranks[2].lost = {5, 10, true};  // its time is not known
  const auto names = [&report](const char* column, size_t most) {
    report.wish = {column, most};
    std::string text;
    for (const auto& row : RanksSection(report, {true, true}).rows)
      text += std::get<std::string>(row[1]).substr(5);
    return text;
  };
  EXPECT_EQ(names("compute", 0), "102") << "what nobody knows stands last";
  EXPECT_EQ(names("computing_ms", 2), "10") << "as JSON calls it";
  EXPECT_EQ(names("last", 0), "210") << "18/40 is more than 9/40";
  EXPECT_EQ(names("rank", 1), "0");
  EXPECT_EQ(names("none", 0).size(), 3u);
  EXPECT_TRUE(HasColumn(report, "compute"));
  EXPECT_TRUE(HasColumn(report, "gain_ms")) << "of findings, in CSV";
  EXPECT_FALSE(HasColumn(report, "nothing"));
  EXPECT_FALSE(HasColumn(report, ""));
  report.wish = {"late in", 0};
  report.ranks[1].late_stage = "data";
  const Section section = RanksSection(report, {});
  EXPECT_STREQ(section.columns[ColumnsFor(section, kShort).at(1)].head, "late in")
      << "it has room first";
}

}  // namespace
}  // namespace syncline
