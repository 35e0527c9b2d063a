// SPDX-License-Identifier: Apache-2.0
// Values as words, and what a section shows.
#include "report/section.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

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

// A key that stands twice would hide a value, a missing cell would shift the others.
TEST(SectionTest, EachSectionHasACellAColumnAndAKeyOnce) {
  Report report;
  report.findings.emplace_back();
  report.stages.emplace_back();
  report.steps.emplace_back();
  report.kernels.emplace_back();
  report.copies.emplace_back();
  report.devices.emplace_back();
  report.ranks.resize(2);
  report.waits.emplace_back();
  report.gaps.emplace_back();
  report.losses["ring_full"] = 1;
  std::vector<Section> sections = TablesOf(report, {});
  EXPECT_EQ(sections.size(), 8u);
  sections.push_back(FindingsSection(report, {}));
  sections.push_back(TemporalSection(report));
  sections.push_back(ClassesSection(report));
  sections.push_back(LossesSection(report, {}));
  for (const Section& section : sections) {
    ASSERT_FALSE(section.rows.empty()) << section.id;
    EXPECT_EQ(section.rows[0].size(), section.columns.size()) << section.id;
    std::set<std::string> keys;
    for (const Column& column : section.columns) {
      const bool for_people = (column.places & (kShort | kPage)) != 0;
      EXPECT_EQ(for_people, *column.head != 0) << section.id << " " << column.key;
      EXPECT_EQ((column.places & (kFile | kSheet)) != 0, *column.key != 0)
          << section.id << " " << column.head;
      const bool is_new = *column.key == 0 || keys.insert(column.key).second;
      EXPECT_TRUE(is_new) << column.key;
    }
  }
}

}  // namespace
}  // namespace syncline
