// SPDX-License-Identifier: Apache-2.0
// Tests of the option table: names, values, unknown variables.
#include "inject/core/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "inject/core/segment.h"

namespace syncline {
namespace {

TEST(Options, NamesAreDerived) {
  char name[64];
  OptionVariable(OptionIndex("memory.ring"), name);
  EXPECT_STREQ(name, "SYNCLINE_MEMORY_RING");
  OptionFlag(OptionIndex("memory.ring"), name);
  EXPECT_STREQ(name, "--memory-ring");
}

TEST(Options, EveryDefaultParses) {
  for (const OptionRow& row : kOptions) {
    int64_t number = 0;
    const std::string words = row.fallback;
    const bool is_word = row.type == OptionType::kWord || row.type == OptionType::kWords;
    const std::string fallback = is_word ? words.substr(0, words.find('|')) : words;
    EXPECT_TRUE(ParseOptionValue(row, fallback.c_str(), &number)) << row.name;
  }
}

TEST(Options, Values) {
  int64_t n = -1;
  EXPECT_TRUE(ParseOptionValue(OptionType::kBytes, "16M", &n));
  EXPECT_EQ(n, 16 << 20);
  EXPECT_TRUE(ParseOptionValue(OptionType::kBytes, "3", &n));
  EXPECT_EQ(n, 3);
  EXPECT_TRUE(ParseOptionValue(OptionType::kSeconds, "20ms", &n));
  EXPECT_EQ(n, 20000000);
  EXPECT_TRUE(ParseOptionValue(OptionType::kFlag, "off", &n));
  EXPECT_EQ(n, 0);
  EXPECT_TRUE(ParseOptionValue(OptionType::kFlag, "yes", &n));
  EXPECT_EQ(n, 1);
}

TEST(Options, ATimeNeedsAUnit) {
  int64_t n = 7;
  for (const char* bare : {"10", "00", "1", "0.5s", "10 s", "1h"})
    EXPECT_FALSE(ParseOptionValue(OptionType::kSeconds, bare, &n)) << bare;
  EXPECT_EQ(n, 7);
  EXPECT_TRUE(ParseOptionValue(OptionType::kSeconds, "0", &n));
  EXPECT_EQ(n, 0);
}

TEST(Options, RowsHaveRanges) {
  const OptionRow row = {"a.b", OptionType::kBytes, "16K", OptionGroup::kLimits, "", "8K", "1M"};
  int64_t n = 7;
  for (const char* outside : {"0", "1", "8191", "1025K", "1T"})
    EXPECT_FALSE(ParseOptionValue(row, outside, &n)) << outside;
  EXPECT_EQ(n, 7);
  EXPECT_TRUE(ParseOptionValue(row, "8K", &n));
  EXPECT_TRUE(ParseOptionValue(row, "1M", &n));
  EXPECT_EQ(n, 1 << 20);
  const OptionRow least = {"a.b", OptionType::kInt, "2", OptionGroup::kLimits, "", "1"};
  EXPECT_TRUE(ParseOptionValue(least, "999999", &n));
  EXPECT_FALSE(ParseOptionValue(least, "0", &n));
}

TEST(Options, TheLeastMemoryHoldsTheSmallestRing) {
  const OptionRow& process = kOptions[OptionIndex("memory.process")];
  const OptionRow& ring = kOptions[OptionIndex("memory.ring")];
  int64_t n = 0;
  ASSERT_TRUE(ParseOptionValue(process.type, process.least, &n));
  EXPECT_GE(static_cast<uint64_t>(n), sizeof(SegmentHeader) + RingFootprint(kMinRingBytes));
  ASSERT_TRUE(ParseOptionValue(ring.type, ring.least, &n));
  EXPECT_EQ(static_cast<uint64_t>(n), kMinRingBytes);
}

TEST(Options, BadValuesOfTheEnvironmentAreReported) {
  setenv("SYNCLINE_STACK_DEPTH", "0", 1);
  setenv("SYNCLINE_DELAY", "3", 1);
  setenv("SYNCLINE_DURATION", "3s", 1);
  setenv("SYNCLINE_DISK_NODE", "", 1);
  std::vector<std::string> seen;
  ForEachBadValue(
      [](size_t index, const char* value, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(
            std::string(kOptions[index].name) + "=" + value);
      },
      &seen);
  EXPECT_EQ(seen, (std::vector<std::string>{"delay=3", "stack.depth=0"}));
  for (const char* name : {"SYNCLINE_STACK_DEPTH", "SYNCLINE_DELAY", "SYNCLINE_DURATION"})
    unsetenv(name);
}

TEST(Options, Words) {
  const OptionRow row = {"a.b", OptionType::kWord, "one|two|three", OptionGroup::kWhat, ""};
  int64_t n = -1;
  EXPECT_TRUE(ParseOptionValue(row, "one", &n));
  EXPECT_EQ(n, 0);
  EXPECT_TRUE(ParseOptionValue(row, "three", &n));
  EXPECT_EQ(n, 2);
  for (const char* bad : {"", "on", "one|two", "four", "|"})
    EXPECT_FALSE(ParseOptionValue(row, bad, &n)) << bad;
  EXPECT_EQ(n, 2);
}

TEST(Options, SeveralWords) {
  const OptionRow row = {"a.b", OptionType::kWords, "one|two|three", OptionGroup::kWhat, ""};
  int64_t n = -1;
  EXPECT_TRUE(ParseOptionValue(row, "one", &n));
  EXPECT_EQ(n, 1);
  EXPECT_TRUE(ParseOptionValue(row, "three,two,three", &n));
  EXPECT_EQ(n, 6);
  for (const char* bad : {"", ",", "two,", ",two", "two,four", "one|two", "two three"})
    EXPECT_FALSE(ParseOptionValue(row, bad, &n)) << bad;
  EXPECT_EQ(n, 6);
}

TEST(Options, BadValuesAreRefusedAndChangeNothing) {
  for (const char* text :
       {"", "x", "-1", "16Q", "1.5G", "99999999999999999999", "9999999999999G", " 1"}) {
    int64_t n = 7;
    EXPECT_FALSE(ParseOptionValue(OptionType::kBytes, text, &n)) << text;
    EXPECT_EQ(n, 7);
  }
  int64_t n = 7;
  EXPECT_FALSE(ParseOptionValue(OptionType::kFlag, "maybe", &n));
  EXPECT_FALSE(ParseOptionValue(OptionType::kInt, "1K", &n));
}

TEST(Options, EnvironmentWinsAndBadValuesFallBack) {
  setenv("SYNCLINE_MEMORY_RING", "1M", 1);
  setenv("SYNCLINE_MEMORY_PROCESS", "lots", 1);
  setenv("SYNCLINE_SOCKET", "/tmp/s", 1);
  setenv("SYNCLINE_DISK_NODE", "", 1);
  setenv("SYNCLINE_OLD_TOOL", "/x/tool.so", 1);
  EXPECT_EQ(OptionNumber(OptionIndex("memory.ring")), 1 << 20);
  EXPECT_EQ(OptionNumber(OptionIndex("memory.process")), 256 << 20);
  EXPECT_STREQ(VariableText(Variable::kSocket), "/tmp/s");
  EXPECT_STREQ(OptionText(OptionIndex("disk.node")), "64G");
  setenv("SYNCLINE_TIME_UNIT", "hours", 1);  // read above: too late, and not a word
  EXPECT_STREQ(OptionText(OptionIndex("time.unit")), "ns");
  // Programs overwrite their environment block; what was read stays.
  setenv("SYNCLINE_MEMORY_RING", "2M", 1);
  EXPECT_EQ(OptionNumber(OptionIndex("memory.ring")), 1 << 20);
  setenv("SYNCLINE_OLD_TOOL", "/y/tool.so", 1);
  EXPECT_STREQ(OldInjection("SYNCLINE_OLD_TOOL"), "/x/tool.so");
  EXPECT_STREQ(OldInjection("SYNCLINE_OLD_TOO"), "");
  EXPECT_STREQ(OldInjection("SYNCLINE_OLD_OTHER"), "");
}

std::vector<std::string> UnknownVariables() {
  std::vector<std::string> seen;
  ForEachUnknownVariable(
      [](const char* name, const char* nearest, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(std::string(name) + ">" +
                                                                   nearest);
      },
      &seen);
  return seen;
}

// "syncline" may be a service of a cluster; what only looks like its variables may be a slip.
TEST(Options, VariablesOfAServiceAreNobodysSlip) {
  const std::vector<std::pair<std::string, std::string>> kService = {
      {"SYNCLINE_SERVICE_HOST", "10.0.0.1"},         {"SYNCLINE_SERVICE_PORT", "80"},
      {"SYNCLINE_SERVICE_PORT_HTTP", "80"},          {"SYNCLINE_PORT", "tcp://10.0.0.1:80"},
      {"SYNCLINE_PORT_80_TCP", "tcp://10.0.0.1:80"}, {"SYNCLINE_PORT_80_TCP_PROTO", "tcp"},
      {"SYNCLINE_WEB_SERVICE_HOST", "10.0.0.2"}};
  for (const auto& [name, value] : kService) setenv(name.c_str(), value.c_str(), 1);
  EXPECT_EQ(UnknownVariables(), std::vector<std::string>{});
  for (const auto& [name, value] : kService) unsetenv(name.c_str());
  for (const char* name : {"SYNCLINE_PORT", "SYNCLINE_PORT_TCP", "SYNCLINE_SERVICE"}) {
    setenv(name, "80", 1);
    EXPECT_EQ(UnknownVariables(), std::vector<std::string>{std::string(name) + ">"});
    unsetenv(name);
  }
}

TEST(Options, UnknownVariablesAreReportedWithTheNearestName) {
  setenv("SYNCLINE_OLD_TOOL", "/x/tool.so", 1);
  for (const auto& [name, nearest] : std::vector<std::pair<std::string, std::string>>{
           {"SYNCLINE_MEMRY_RING", "SYNCLINE_MEMORY_RING"},
           {"SYNCLINE_COLECT", "SYNCLINE_COLLECT"},
           {"SYNCLINE_memory_ring", "SYNCLINE_MEMORY_RING"},
           {"SYNCLINE_PHASES", ""},
           {"SYNCLINE_PICTURE", ""},
           {"SYNCLINE_RANK", "SYNCLINE_RANKS"},
           {"SYNCLINE_", ""}}) {
    setenv(name.c_str(), "1", 1);
    EXPECT_EQ(UnknownVariables(), std::vector<std::string>{name + ">" + nearest});
    unsetenv(name.c_str());
  }
  EXPECT_EQ(UnknownVariables(), std::vector<std::string>{});
}

}  // namespace
}  // namespace syncline
