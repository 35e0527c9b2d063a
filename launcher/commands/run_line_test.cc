// SPDX-License-Identifier: Apache-2.0
// Tests of the command line of `syncline run`.
#include "launcher/commands/run_line.h"

#include <gtest/gtest.h>

#include "inject/core/options.h"
#include "launcher/commands/list_options.h"

namespace syncline {
namespace {

std::string Given(const RunLine& line, std::string_view name) {
  for (const GivenOption& option : line.options) {
    if (kOptions[option.index].name == name) return option.text;
  }
  return "(not given)";
}

TEST(RunLineTest, ABareProgramEndsTheOptions) {
  const RunLine line = ParseRunLine({"ls", "-o", "--help", "--"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(line.program, (Arguments{"ls", "-o", "--help", "--"}));
  EXPECT_TRUE(line.options.empty());
  EXPECT_FALSE(line.help);
}

TEST(RunLineTest, OptionsOfAllSpellings) {
  const RunLine line = ParseRunLine({"-o", "dir", "--memory-ring=4M", "--time-unit", "us", "-q",
                                     "--no-command-line", "--", "--odd", "x"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(Given(line, "output"), "dir");
  EXPECT_EQ(Given(line, "memory.ring"), "4M");
  EXPECT_EQ(Given(line, "time.unit"), "us");
  EXPECT_EQ(Given(line, "quiet"), "1");
  EXPECT_EQ(Given(line, "command.line"), "0");
  EXPECT_EQ(Given(line, "force"), "(not given)");
  EXPECT_EQ(line.program, (Arguments{"--odd", "x"}));
}

TEST(RunLineTest, AttachedShortValuesAndTheLastOneCounts) {
  const RunLine line = ParseRunLine({"-oone", "--output", "two", "-qv", "prog"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(Given(line, "output"), "two");
  EXPECT_EQ(Given(line, "log.level"), "info");
  EXPECT_EQ(line.program, (Arguments{"prog"}));
}

TEST(RunLineTest, ValuesThatLookLikeProgramsOrOptions) {
  const RunLine line = ParseRunLine({"--skip", "bash,sh", "--output", "-odd-", "prog", "-v"});
  EXPECT_EQ(line.error, "");
  EXPECT_EQ(Given(line, "skip"), "bash,sh");
  EXPECT_EQ(Given(line, "output"), "-odd-");
  EXPECT_EQ(line.program, (Arguments{"prog", "-v"}));
}

TEST(RunLineTest, UnknownOptionsNameTheNearest) {
  EXPECT_NE(ParseRunLine({"--ouptut", "d", "prog"}).error.find("did you mean --output?"),
            std::string::npos);
  EXPECT_NE(ParseRunLine({"--memory-rings=4M", "prog"}).error.find("did you mean --memory-ring?"),
            std::string::npos);
  const std::string unknown = ParseRunLine({"-Z", "prog"}).error;
  EXPECT_NE(unknown.find("no option -Z"), std::string::npos) << unknown;
}

TEST(RunLineTest, BadValuesSayWhatIsExpected) {
  EXPECT_NE(ParseRunLine({"--memory-ring", "lots", "p"}).error.find("a size such as"),
            std::string::npos);
  EXPECT_NE(ParseRunLine({"--time-unit", "ms", "p"}).error.find("ns and us"), std::string::npos);
  EXPECT_NE(ParseRunLine({"--consumer", "nobody", "p"}).error.find("auto, launcher and process"),
            std::string::npos);
  EXPECT_NE(ParseRunLine({"--output"}).error, "");
  EXPECT_EQ(ParseRunLine({"-o", "", "p"}).error,
            "the value '' of --output is not valid: it must be a directory (without this option it "
            "is a new one below syncline-out).");
  EXPECT_NE(ParseRunLine({"--output=", "p"}).error, "");
  EXPECT_EQ(ParseRunLine({"--skip", "", "p"}).error, "") << "a list of no names";
}

TEST(RunLineTest, CollectorsAreThoseOfTheTable) {
  const std::string known =
      "The collectors are nvtx, cuda, level_zero, python and program; all stands for all of them.";
  const auto error = [](const char* list) { return ParseRunLine({"--collect", list, "p"}).error; };
  for (const char* good : {"nvtx", "cuda,nvtx", " cuda , nvtx ", "cuda,cuda", "nvtx,", "all"})
    EXPECT_EQ(error(good), "") << good;
  EXPECT_EQ(error("cudaa"),
            "there is no collector cudaa, which --collect names: did you mean cuda? " + known);
  EXPECT_EQ(error("nvtx, NVTX"),
            "there is no collector NVTX, which --collect names: did you mean nvtx? " + known);
  EXPECT_EQ(error("none"), "there is no collector none, which --collect names. " + known);
  EXPECT_EQ(error("cuda nvtx"),
            "there is no collector 'cuda nvtx', which --collect names. " + known);
  for (const char* empty : {"", ",", " ,"}) {
    EXPECT_NE(error(empty).find("of --collect names no collector. Names are separated by commas. "),
              std::string::npos)
        << empty;
  }
}

TEST(RunLineTest, TheVariableIsHeldToTheSame) {
  unsetenv("SYNCLINE_COLLECT");
  EXPECT_EQ(ListVariablesProblem(), "");
  for (const char* good : {"", "nvtx", "all"}) {
    setenv("SYNCLINE_COLLECT", good, 1);
    EXPECT_EQ(ListVariablesProblem(), "") << good;
  }
  setenv("SYNCLINE_COLLECT", "nvxt", 1);
  EXPECT_TRUE(ListVariablesProblem().starts_with(
      "there is no collector nvxt, which SYNCLINE_COLLECT names: did you mean nvtx?"))
      << ListVariablesProblem();
  setenv("SYNCLINE_COLLECT", ",", 1);
  EXPECT_NE(ListVariablesProblem(), "");
  unsetenv("SYNCLINE_COLLECT");
}

TEST(RunLineTest, RanksAreWrittenInOneOfTheirForms) {
  const auto error = [](const char* list) { return ParseRunLine({"--ranks", list, "p"}).error; };
  for (const char* good : {"0", "0,8-15", "every:8", "node-first", "local:0", "local:0-3, 9"})
    EXPECT_EQ(error(good), "") << good;
  const auto meant = [&](const char* list) {
    const std::string said = error(list);
    const size_t begin = said.find("did you mean ");
    return begin == std::string::npos ? "" : said.substr(begin + 13, said.find('?') - begin - 13);
  };
  EXPECT_EQ(meant("7-3"), "3-7");
  EXPECT_EQ(meant("0..7"), "0-7");
  EXPECT_EQ(meant("0,4:6"), "4-6");
  EXPECT_EQ(meant("evry:4"), "every:4");
  EXPECT_EQ(meant("every:0"), "every:8");
  EXPECT_EQ(meant("locl:2"), "local:2");
  EXPECT_EQ(meant("node-frist"), "node-first");
  EXPECT_EQ(meant("master"), "");
  EXPECT_NE(error("master").find("'master'"), 0u);
  EXPECT_TRUE(error("").find("of --ranks names no rank. Ranks are written 3, 8-15") !=
              std::string::npos)
      << error("");
  const std::vector<std::pair<const char*, const char*>> job = {
      {"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}};
  for (const auto& [name, value] : job) setenv(name, value, 1);
  EXPECT_EQ(error("3-9"), "");
  EXPECT_EQ(error("0,4"), "the job has no rank 4, which --ranks names: its 4 ranks are 0 to 3.");
  for (const auto& [name, value] : job) unsetenv(name);
}

TEST(RunLineTest, AnEmptyPatternOfStepsIsAMistake) {
  EXPECT_EQ(ParseRunLine({"--step-range", "step, or not", "p"}).error, "") << "it is no list";
  EXPECT_EQ(ParseRunLine({"--step-range", "", "p"}).error,
            "the value of --step-range is empty: write a pattern such as 'step*'.");
}

TEST(RunLineTest, AListOfNoPatternsWouldLeaveAllOut) {
  for (const char* option : {"--processes", "--kernels"}) {
    EXPECT_EQ(ParseRunLine({option, "*gemm*, a?", "p"}).error, "");
    for (const char* empty : {"", ",", " , "}) {
      EXPECT_NE(ParseRunLine({option, empty, "p"}).error.find(" names nothing. Patterns, in which"),
                std::string::npos)
          << option << empty;
    }
  }
}

TEST(RunLineTest, TimesHaveUnitsAndNumbersARange) {
  const auto error = [](const char* option, const char* value) {
    return ParseRunLine({option, value, "p"}).error;
  };
  EXPECT_EQ(error("--min-duration", "10"),
            "the value 10 of --min-duration is not valid: it must be a time with its unit: 10us, "
            "10ms, 10s or 10m.");
  EXPECT_EQ(error("--delay", "soon"),
            "the value soon of --delay is not valid: it must be a time such as 500ms, 2s or 1m.");
  EXPECT_EQ(error("--stack-depth", "0"),
            "the value 0 of --stack-depth is not valid: it must be from 1 to 1024.");
  EXPECT_EQ(error("--memory-ring", "1"),
            "the value 1 of --memory-ring is not valid: it must be at least 8K.");
  EXPECT_EQ(error("--memory-process", "64K"),
            "the value 64K of --memory-process is not valid: it must be at least 548K.");
  for (const auto& [option, value] :
       {std::pair{"--min-duration", "0"}, std::pair{"--duration", "10ms"},
        std::pair{"--stack-depth", "1024"}, std::pair{"--memory-ring", "8K"}})
    EXPECT_EQ(error(option, value), "") << option;
  setenv("SYNCLINE_DELAY", "3", 1);
  setenv("SYNCLINE_STACK_DEPTH", "5000", 1);
  EXPECT_EQ(FindBadVariables(),
            (std::vector<std::string>{
                "the variable SYNCLINE_DELAY=3 is ignored: it must be a time with its unit: 3us, "
                "3ms, 3s or 3m.",
                "the variable SYNCLINE_STACK_DEPTH=5000 is ignored: it must be from 1 to 1024."}));
  unsetenv("SYNCLINE_DELAY");
  unsetenv("SYNCLINE_STACK_DEPTH");
}

TEST(RunLineTest, SizesAreParsedByTheTable) {
  int64_t number = -1;
  EXPECT_TRUE(ParseOptionValue(OptionType::kBytes, "16M", &number));
  EXPECT_EQ(number, 16 << 20);
  EXPECT_TRUE(ParseOptionValue(OptionType::kBytes, "2g", &number));
  EXPECT_EQ(number, int64_t{2} << 30);
  EXPECT_TRUE(ParseOptionValue(OptionType::kSeconds, "500ms", &number));
  EXPECT_EQ(number, 500000000);
  for (const char* bad :
       {"", "M", "-1", "1.5G", "16MB", "99999999999999999999", "9223372036854775807K"}) {
    EXPECT_FALSE(ParseOptionValue(OptionType::kBytes, bad, &number)) << bad;
  }
}

// `syncline bench` gives its options to `syncline run` as words.
TEST(RunLineTest, AnOptionIsWrittenAsItWasRead) {
  const RunLine line = ParseRunLine({"--skip", "-a b,", "--stages", "", "--no-command-line",
                                     "--follow-env", "--memory-ring", "4M", "--stage-lines", "p"});
  ASSERT_EQ(line.error, "");
  ASSERT_EQ(line.options.size(), 6u);
  Arguments words;
  for (const GivenOption& option : line.options) {
    const Arguments more = WordsOf(option);
    words.insert(words.end(), more.begin(), more.end());
  }
  words.emplace_back("p");
  const RunLine again = ParseRunLine(words);
  ASSERT_EQ(again.error, "");
  ASSERT_EQ(again.options.size(), line.options.size());
  for (size_t i = 0; i < line.options.size(); ++i) {
    EXPECT_EQ(again.options[i].index, line.options[i].index);
    EXPECT_EQ(again.options[i].text, line.options[i].text);
  }
}

TEST(RunLineTest, OptionsReachTheTableThroughTheEnvironment) {
  setenv("SYNCLINE_MEMORY_RING", "1M", 1);
  setenv("SYNCLINE_DISK_NODE", "huge", 1);
  setenv("SYNCLINE_MEMORY_RNG", "1M", 1);
  setenv("SYNCLINE_PHASES", "denoise*", 1);
  setenv("SYNCLINE_SKIP", "", 1);
  setenv("SYNCLINE_TIME_UNIT", "", 1);
  const std::vector<std::string> problems = FindBadVariables();
  ASSERT_EQ(problems.size(), 3u) << "an empty variable is as good as none";
  EXPECT_NE(problems[0].find("SYNCLINE_DISK_NODE"), std::string::npos);
  EXPECT_NE(problems[1].find("did you mean SYNCLINE_MEMORY_RING?"), std::string::npos);
  EXPECT_EQ(problems[2],
            "the variable SYNCLINE_PHASES is not known and is ignored; `syncline options` lists "
            "those that are.");
  ExportOptions(ParseRunLine({"--memory-ring", "2M", "--no-command-line", "p"}).options);
  EXPECT_EQ(OptionNumber(OptionIndex("memory.ring")), 2 << 20);
  EXPECT_EQ(OptionNumber(OptionIndex("command.line")), 0);
  EXPECT_EQ(OptionNumber(OptionIndex("disk.node")), int64_t{64} << 30);
}

}  // namespace
}  // namespace syncline
