// SPDX-License-Identifier: Apache-2.0
// The three formats of line tables, by hand, and damaged ones.
#include "model/spool/python_lines.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace syncline {
namespace {

std::string Table(std::initializer_list<int> bytes) {
  std::string table;
  for (const int byte : bytes) table.push_back(static_cast<char>(byte));
  return table;
}

// Lines of the instructions at 0, 2, 4, ...
std::vector<uint32_t> Lines(uint16_t python, const std::string& table, int instructions,
                            bool cut = false, uint32_t first_line = 10) {
  std::vector<uint32_t> lines;
  for (int i = 0; i < instructions; ++i)
    lines.push_back(PythonLine(python, first_line, table, cut, 2 * i));
  return lines;
}

using L = std::vector<uint32_t>;

TEST(PythonLines, CodeThatHasNotBegunIsOnItsFirstLine) {
  for (const uint16_t python :
       std::initializer_list<uint16_t>{0x308, 0x309, 0x30a, 0x30b, 0x30c, 0x30d}) {
    EXPECT_EQ(PythonLine(python, 7, Table({4, 1, 4, 1}), false, -1), 7u);
    EXPECT_EQ(PythonLine(python, 7, "", true, -2), 7u);
  }
}

TEST(PythonLines, To39) {
  for (const uint16_t python : std::initializer_list<uint16_t>{0x308, 0x309}) {
    EXPECT_EQ(Lines(python, Table({0, 1, 4, 2, 2, -3}), 5), (L{11, 11, 13, 10, 10}));
    EXPECT_EQ(Lines(python, "", 2), (L{10, 10})) << "all on one line";
    EXPECT_EQ(Lines(python, Table({255, 0, 45, 1}), 1), (L{10}));
    EXPECT_EQ(PythonLine(python, 10, Table({255, 0, 45, 1}), false, 298), 10u);
    EXPECT_EQ(PythonLine(python, 10, Table({255, 0, 45, 1}), false, 300), 11u);
    EXPECT_EQ(Lines(python, Table({2, 127, 0, 127, 0, 1}), 2), (L{10, 265}));
    EXPECT_EQ(Lines(python, Table({2, -128, 0, -2}), 2, false, 200), (L{200, 70}));
  }
}

TEST(PythonLines, BehindATableThatIsCutThereIsNoLine) {
  const std::string table = Table({0, 1, 4, 2});
  EXPECT_EQ(Lines(0x308, table, 4), (L{11, 11, 13, 13}));
  EXPECT_EQ(Lines(0x308, table, 4, true), (L{11, 11, 0, 0}));
  EXPECT_EQ(Lines(0x309, "", 2, true), (L{0, 0}));
  EXPECT_EQ(Lines(0x30a, Table({4, 2}), 3, true), (L{12, 12, 0}));
  EXPECT_EQ(Lines(0x30b, Table({0x80 | 11 << 3, 0, 0}), 2, true), (L{11, 0}));
}

TEST(PythonLines, In310) {
  EXPECT_EQ(Lines(0x30a, Table({4, 1, 2, -2, 2, 0}), 5), (L{11, 11, 9, 9, 0}));
  EXPECT_EQ(Lines(0x30a, Table({2, 1, 2, -128, 2, 3}), 3), (L{11, 0, 14})) << "no line";
  EXPECT_EQ(Lines(0x30a, Table({0, 127, 0, 127, 2, 1, 2, -127}), 2), (L{265, 138}));
  EXPECT_EQ(PythonLine(0x30a, 10, Table({254, 1, 254, 0, 4, 1}), false, 506), 11u);
  EXPECT_EQ(PythonLine(0x30a, 10, Table({254, 1, 254, 0, 4, 1}), false, 508), 12u);
  EXPECT_EQ(Lines(0x30a, "", 1), (L{0}));
  EXPECT_EQ(Lines(0x30a, Table({2, 1, 2}), 2), (L{11, 0})) << "half an entry";
}

int Head(int form, int units) { return 0x80 | form << 3 | (units - 1); }

TEST(PythonLines, From311) {
  for (const uint16_t python : std::initializer_list<uint16_t>{0x30b, 0x30c, 0x30d}) {
    EXPECT_EQ(Lines(python, Table({Head(0, 2), 1, Head(9, 1), 1}), 4), (L{10, 10, 10, 0}));
    EXPECT_EQ(Lines(python, Table({Head(10, 1), 0, 0, Head(11, 1), 0, 0, Head(12, 1), 0, 0}), 3),
              (L{10, 11, 13}));
    // Signed numbers: the lowest bit is the sign.
    EXPECT_EQ(Lines(python, Table({Head(13, 1), 4, Head(13, 8), 3, Head(13, 1), 1}), 10),
              (L{12, 11, 11, 11, 11, 11, 11, 11, 11, 11}));
    EXPECT_EQ(Lines(python, Table({Head(15, 2), Head(13, 1), 2}), 3), (L{0, 0, 11})) << "no line";
    // 1000 lines on: 2000 in pieces of six bits, the lowest first.
    EXPECT_EQ(Lines(python, Table({Head(13, 1), 64 | (2000 & 63), 2000 >> 6, Head(15, 1)}), 2),
              (L{1010, 0}));
    // The three numbers behind the line are the end's line and the columns.
    EXPECT_EQ(Lines(python, Table({Head(14, 1), 2, 64 | 1, 3, 0, 64, 64, 1, Head(11, 1), 5, 6}), 2),
              (L{11, 12}));
    EXPECT_EQ(Lines(python, "", 1), (L{0}));
  }
}

TEST(PythonLines, OfDamagedTablesThereAreNoLinesOrAny) {
  EXPECT_EQ(Lines(0x30b, Table({Head(13, 1), 7}), 1, false, 2), (L{0})) << "before the first one";
  EXPECT_EQ(Lines(0x308, Table({0, -5}), 1, false, 2), (L{0}));
  EXPECT_EQ(Lines(0x30a, Table({2, -5}), 1, false, 2), (L{0}));
  EXPECT_EQ(PythonLine(0x308, UINT32_MAX, Table({0, 5}), false, 0), 0u);
  // Numbers without an end, and entries that end with the table.
  for (int form = 0; form < 16; ++form) {
    for (const size_t more : {0, 1, 2, 9, 10, 11, 50}) {
      std::string table = Table({Head(form, 1)}) + std::string(more, '\xff');
      for (const int32_t instruction : {0, 2, 100, INT32_MAX})
        PythonLine(0x30b, 10, table, false, instruction);
      table += Table({Head(11, 8), 0});
      PythonLine(0x30b, UINT32_MAX, table, true, 16);
    }
  }
  const std::string endless(100000, '\xff');
  for (const uint16_t python : std::initializer_list<uint16_t>{0, 0x308, 0x30a, 0x30b, 0xffff})
    PythonLine(python, 1, endless, false, INT32_MAX);
}

}  // namespace
}  // namespace syncline
