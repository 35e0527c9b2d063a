// SPDX-License-Identifier: Apache-2.0
// Tests of building text for people.
#include "launcher/host/shell_text.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(TextTest, Durations) {
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(400000), "400 us");
  EXPECT_EQ(DurationText(35940000), "35.9 ms");
  EXPECT_EQ(DurationText(2840000000), "2.84 s");
  EXPECT_EQ(DurationText(999'600), "1.00 ms");
  EXPECT_EQ(DurationText(599'000'000'000), "599 s");
  EXPECT_EQ(DurationText(600'000'000'000), "10 min");
  EXPECT_EQ(DurationText(7'500'000'000'000), "2 h 05 min");
}

TEST(TextTest, NearestNameFindsSlips) {
  const std::vector<std::string> names = {"--output", "--memory-ring", "--memory-node", "--quiet"};
  EXPECT_EQ(NearestName("--ouptut", names), "--output");
  EXPECT_EQ(NearestName("--memory-rng", names), "--memory-ring");
  EXPECT_EQ(NearestName("--quite", names), "--quiet");
  EXPECT_EQ(NearestName("--Quiet", names), "--quiet");
  EXPECT_EQ(NearestName("nvxt", {"cuda", "nvtx"}), "nvtx") << "two letters swapped are one slip";
}

TEST(TextTest, NearestNameSaysNothingRatherThanNonsense) {
  EXPECT_EQ(NearestName("--frobnicate-all", {"--output", "--quiet"}), "");
  EXPECT_EQ(NearestName("x", {}), "");
  EXPECT_EQ(NearestName("-Z", {"-o", "-q"}), "");
  EXPECT_EQ(NearestName("--stages", {"--force", "--skip"}), "");
  EXPECT_EQ(NearestName("--steps", {"--skip"}), "") << "the dashes make it no nearer";
  EXPECT_EQ(NearestName("mpi", {"mu", "all", "nvtx"}), "");
  const std::string long_name(300, 'x');
  EXPECT_EQ(NearestName(long_name, {"--output"}), "");
}

TEST(TextTest, ShellQuoteReadsBackAsTheSameWord) {
  EXPECT_EQ(ShellQuote("plain-1.0/x"), "plain-1.0/x");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote("$HOME"), "'$HOME'");
  EXPECT_EQ(ShellQuote(std::vector<std::string>{"a", "b c"}), "a 'b c'");
  EXPECT_EQ(ShellQuote("it's\x1b[1m\n\\"), "$'it\\'s\\033[1m\\012\\\\'");
  EXPECT_EQ(ShellQuote("\xe2\x80\xae\xff\xc3\xa9"), "$'\\342\\200\\256\\377\xc3\xa9'");
}

TEST(TextTest, SizesAndCounts) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(uint64_t{256} << 20), "256 MiB");
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1234567), "1,234,567");
}

TEST(TextTest, JoinNames) {
  EXPECT_EQ(JoinNames({}), "");
  EXPECT_EQ(JoinNames({"a"}), "a");
  EXPECT_EQ(JoinNames({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace syncline
