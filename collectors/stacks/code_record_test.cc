// SPDX-License-Identifier: Apache-2.0
// Texts of all widths as UTF-8, and the bytes of a piece of code.
#include "collectors/stacks/code_record.h"

#include <gtest/gtest.h>

#include "collectors/stacks/fake_python.h"
#include "inject/core/record.h"

namespace syncline::stacks {
namespace {

class CodeRecord : public ::testing::TestWithParam<uint16_t> {
 protected:
  std::string Copy(const char* str, size_t room = 64) {
    std::string text(room + 8, '#');
    size_t length = 0;
    EXPECT_TRUE(CopyStr(fake.python, str, text.data(), room, &length));
    EXPECT_LE(length, room);
    EXPECT_EQ(text.substr(room), "########") << "behind its room";
    return text.substr(0, length);
  }
  bool Copies(const char* str) {
    char text[64];
    size_t length;
    return CopyStr(fake.python, str, text, sizeof(text), &length);
  }

  FakePython fake{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Versions, CodeRecord, ::testing::Values(0x308, 0x30b, 0x30d));

TEST_P(CodeRecord, TextsOfAllWidths) {
  EXPECT_EQ(Copy(fake.Str("train.py")), "train.py");
  EXPECT_EQ(Copy(fake.Str("")), "");
  EXPECT_EQ(Copy(fake.Str(std::vector<uint8_t>{'c', 0xe9, 0x80, 0xff})),
            "c\xc3\xa9\xc2\x80\xc3\xbf");
  EXPECT_EQ(Copy(fake.Str(std::vector<uint16_t>{'a', 0x7ff, 0x800, 0x65e5, 0xffff})),
            "a\xdf\xbf\xe0\xa0\x80\xe6\x97\xa5\xef\xbf\xbf");
  EXPECT_EQ(Copy(fake.Str(std::vector<uint32_t>{'a', 0x1f600, 0x10ffff})),
            "a\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

TEST_P(CodeRecord, ALoneSurrogateIsACharacter) {
  EXPECT_EQ(Copy(fake.Str(std::vector<uint16_t>{'f', 0xdce9})), "f\xed\xb3\xa9");
}

TEST_P(CodeRecord, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(Copy(fake.Str("0123456789"), 8), "01234") << "there may be four bytes to a character";
  EXPECT_EQ(Copy(fake.Str(std::vector<uint32_t>(9, 0x1f600)), 9),
            "\xf0\x9f\x98\x80\xf0\x9f\x98\x80");
  EXPECT_EQ(Copy(fake.Str("0123456789"), 3), "");
}

TEST_P(CodeRecord, WhatIsNoStrIsNotCopied) {
  EXPECT_FALSE(Copies(nullptr));
  EXPECT_FALSE(Copies(fake.Bytes("train.py")));
  for (const uint32_t state : {0u, 1u << 2, 1u << 5, 3u << 2 | 1u << 5, 7u << 2 | 1u << 5}) {
    char* str = fake.Str("train.py");
    FakePython::Put(str, 32, state);
    EXPECT_FALSE(Copies(str)) << state;
  }
}

class WrittenCode : public CodeRecord {
 protected:
  size_t Write(const char* code) { return WriteCode(fake.python, code, out.data(), &first_line); }
  CodeFacts Facts() const { return ReadAt<CodeFacts>(out.data(), 0); }
  std::string Behind(size_t bytes) const {
    return out.substr(sizeof(CodeFacts), bytes - sizeof(CodeFacts));
  }

  std::string out = std::string(kMostCodeBytes, '#');
  uint32_t first_line = 0;
};
INSTANTIATE_TEST_SUITE_P(Versions, WrittenCode, ::testing::Values(0x308, 0x30b, 0x30d));

TEST_P(WrittenCode, HasFileNameAndTable) {
  const std::string table("\0\1\4\2", 4);
  const size_t bytes = Write(fake.Code("train.py", "A.step", 42, table));
  EXPECT_EQ(bytes, sizeof(CodeFacts) + 8 + 6 + 4);
  EXPECT_EQ(Behind(bytes), "train.pyA.step" + table);
  EXPECT_EQ(Facts().file_bytes, 8u);
  EXPECT_EQ(Facts().name_bytes, 6u);
  EXPECT_EQ(Facts().table_bytes, 4u);
  EXPECT_EQ(Facts().python, GetParam());
  EXPECT_EQ(Facts().flags, 0);
  EXPECT_EQ(first_line, 42u);
}

TEST_P(WrittenCode, LongOnesAreCutAndFit) {
  const std::string name(5000, 'n');
  const size_t bytes =
      Write(fake.Code(std::string(10000, 'f'), name, 1, std::string(kMostTableBytes + 1, 't')));
  ASSERT_GT(bytes, 0u);
  EXPECT_LE(bytes, kMostCodeBytes);
  EXPECT_LE(Facts().file_bytes, kMostFileBytes);
  EXPECT_GT(Facts().file_bytes, kMostFileBytes - 8);
  EXPECT_LE(Facts().name_bytes, kMostNameBytes);
  EXPECT_EQ(Facts().table_bytes, kMostTableBytes);
  EXPECT_EQ(Facts().flags, kTableCut);
  ASSERT_GT(Write(fake.Code("f", "n", 1, std::string(kMostTableBytes, 't'))), 0u);
  EXPECT_EQ(Facts().flags, 0) << "just not cut";
}

TEST_P(WrittenCode, CodeThatIsNotAsExpectedIsNotWritten) {
  const Python& python = fake.python;
  for (const int16_t member : {python.code_file, python.code_name, python.code_table}) {
    char* code = fake.Code("a.py", "f", 1, "");
    FakePython::Put(code, member, static_cast<char*>(nullptr));
    EXPECT_EQ(Write(code), 0u) << member;
    FakePython::Put(code, member, fake.Object(python.code_type));
    EXPECT_EQ(Write(code), 0u) << member;
  }
}

}  // namespace
}  // namespace syncline::stacks
