// SPDX-License-Identifier: Apache-2.0
// What is read, and what is said of what cannot be.
#include "launcher/commands/toml_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(TomlTextTest, ValuesOfAllKinds) {
  const TomlText read = ReadToml(
      "# options\n"
      "stages = \"step #,\\\"a\\\"\" # kept\n"
      "\n"
      "  step-range='C:\\*'\r\n"
      "quiet = true\n"
      "memory-ring = 64M\n"
      "python-ranges = [ \"a.b\", # first\n"
      "  'c.*',\n"
      "]\n"
      "\"disable\" = 0");
  ASSERT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 6u);
  EXPECT_EQ(read.entries[0].values, std::vector<std::string>{"step #,\"a\""});
  EXPECT_EQ(read.entries[1].values, std::vector<std::string>{"C:\\*"});
  EXPECT_EQ(read.entries[1].line, 4u);
  EXPECT_FALSE(read.entries[2].is_text);
  EXPECT_EQ(read.entries[3].values, std::vector<std::string>{"64M"});
  EXPECT_EQ(read.entries[4].values, (std::vector<std::string>{"a.b", "c.*"}));
  EXPECT_TRUE(read.entries[4].is_array);
  EXPECT_EQ(read.entries[5].line, 10u);
}

TEST(TomlTextTest, MistakesHaveTheirLine) {
  struct Mistake {
    const char* text;
    size_t line;
    const char* said;
  };
  const Mistake mistakes[] = {
      {"a = 1\n[table]\n", 2, "no tables"},
      {"a = 1\nb\n", 2, "`b` has no value"},
      {"\na =\nb = 2", 2, "a value is missing"},
      {"a = step*", 1, "`step` needs quotes"},
      {"a = \"x", 1, "does not end"},
      {"a = \"x\ny\"", 1, "does not end"},
      {"a = [1, 2\n\n", 1, "the array of `a` does not end"},
      {"a = [1 2]", 1, "a comma"},
      {"a = 1\nc = 2\na = 3", 3, "twice"},
      {"a = \"\\x\"", 1, "behind a \\"},
      {"a = 1 b = 2", 1, "something stands behind"},
      {"= 2", 1, "begins with the name"},
      {"a = \"\\", 1, "behind a \\"},
  };
  for (const Mistake& mistake : mistakes) {
    const TomlText read = ReadToml(mistake.text);
    EXPECT_NE(read.error.find(mistake.said), std::string::npos) << mistake.text << read.error;
    EXPECT_EQ(read.line, mistake.line) << mistake.text;
  }
  EXPECT_NE(ReadToml(std::string_view("a\0b", 3)).error, "");
  EXPECT_NE(ReadToml(std::string(2 << 20, '#')).error, "");
}

// As editors on Windows write it.
TEST(TomlTextTest, AByteOrderMarkIsNoName) {
  const TomlText read = ReadToml("\xef\xbb\xbfquiet = true\n");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.entries.size(), 1u);
  EXPECT_EQ(read.entries[0].key, "quiet");
}

}  // namespace
}  // namespace syncline
