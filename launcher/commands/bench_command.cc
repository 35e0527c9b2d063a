// SPDX-License-Identifier: Apache-2.0
// `syncline bench A --against B`: records two commands in turn, so that what changes on the machine
// meanwhile comes to both.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/commands/compare_command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/child_run.h"
#include "launcher/start/library.h"
#include "launcher/start/program.h"
#include "launcher/start/spawn.h"
#include "model/run/exit_facts.h"

namespace syncline {
namespace {

constexpr int kRuns = 7;
constexpr char kAgainst[] = "--against";
constexpr char kForm[] = "Write: syncline bench -n 7 COMMAND --against OTHER-COMMAND.";

struct Side {
  std::string_view letter;
  Arguments command;
  std::vector<std::string> directories;  // of the runs that are whole
};

struct Bench {
  std::string output;
  int runs = kRuns;
  Side sides[2] = {{"a", {}, {}}, {"b", {}, {}}};
  CompareWish wish;
};

// One word with blanks in it is a line for the shell.
Arguments AsCommand(Arguments words) {
  if (words.size() == 1 && words[0].find_first_of(" \t\n") != std::string::npos)
    return {"/bin/sh", "-c", words[0]};
  return words;
}

// What is wrong with both commands; "": nothing.
std::string CommandsProblem(const Bench& bench, bool has_other) {
  if (!has_other)
    return Text("bench compares two commands, and there is no ", kAgainst, ". ", kForm);
  for (const Side& side : bench.sides) {
    const char* where = side.letter == "a" ? "before" : "behind";
    if (side.command.empty())
      return Text("there is no command ", where, " ", kAgainst, ". ", kForm);
    const FoundProgram found = FindProgram(side.command[0], Environment("PATH"));
    if (found.path.empty() && side.command[0].find(' ') != std::string::npos)
      return Text(ShellQuote(side.command[0]), " is a line for the shell, and ",
                  ShellQuote(side.command[1]), " stands behind it: options of bench stand before ",
                  "the first command.");
    if (found.path.empty()) return found.error;
  }
  return "";
}

// A new directory for all runs; an error or "".
std::string MakeOutput(Bench* bench) {
  const bool is_named = !bench->output.empty();
  const std::string folder = "syncline-out";
  if (const int error = is_named ? 0 : MakeDirectories(folder, 0777); error != 0)
    return Text("cannot make ", ShellQuote(folder), ": ", ErrorText(error), ".");
  for (int number = 1;; ++number) {
    const std::string path = is_named ? bench->output : Text(folder, "/bench-", number);
    if (mkdir(path.c_str(), 0777) == 0) {
      bench->output = path;
      return "";
    }
    if (is_named || errno != EEXIST)
      return Text("cannot make ", ShellQuote(path), ": ", ErrorText(errno),
                  ". Name a new directory with -o.");
  }
}

[[noreturn]] void LeaveBecause(const ChildEnd& end) {
  LeaveLike(end.stopped_by != 0 ? end.stopped_by : end.wait_status);
}

// What is there of runs before the one that failed. A directory without any is taken away: the same
// line can be given again.
std::string KeptOrTakenAway(const Bench& bench) {
  if (rmdir(bench.output.c_str()) == 0) return "";
  return Text(" What was recorded is in ", ShellQuote(bench.output), ".");
}

// Records one run into `directory`. An end that is no good one ends the bench.
void Record(const Bench& bench, const Side& side, const std::string& directory) {
  Arguments words = {"syncline", "run", "--quiet", "-o", directory, "--"};
  words.insert(words.end(), side.command.begin(), side.command.end());
  const ChildEnd end = RunChild(OwnPath(), words);
  const std::string name = directory.substr(directory.rfind('/') + 1);
  if (end.error != 0) {
    SayError(Text("cannot start ", name, ": ", ErrorText(end.error), "."));
    std::exit(kExitOurFailure);
  }
  if (end.stopped_by != 0) {
    SayError(Text("stopped in ", name, ".", KeptOrTakenAway(bench)));
    LeaveBecause(end);
  }
  if (end.wait_status != 0) {
    const bool killed = WIFSIGNALED(end.wait_status);
    const ExitFacts exit{killed ? ExitKind::kSignaled : ExitKind::kExited,
                         killed ? WTERMSIG(end.wait_status) : WEXITSTATUS(end.wait_status),
                         "launcher"};
    SayError(Text(name, ", ", ShellQuote(side.command), ", ", DescribeExit(exit),
                  ": a run that fails is compared with nothing.", KeptOrTakenAway(bench)));
    LeaveBecause(end);
  }
  if (!Exists(directory + "/run/job.json")) {
    SayError(Text("nothing was recorded of ", name, ", ", ShellQuote(side.command), ": run `",
                  "syncline -- COMMAND` alone to see why.", KeptOrTakenAway(bench)));
    std::exit(kExitOurFailure);
  }
}

// So that no run pays for what is read, compiled or set up for the first time.
void WarmUp(const Bench& bench, const Side& side) {
  Say(Text("bench: warm-up of ", side.letter));
  const std::string directory = Text(bench.output, "/", side.letter, "-warm-up");
  Record(bench, side, directory);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

// a b b a a b b a ...: neither comes first more often.
void RecordAll(Bench* bench) {
  for (const Side& side : bench->sides) WarmUp(*bench, side);
  for (int run = 1; run <= bench->runs; ++run) {
    for (int turn = 0; turn < 2; ++turn) {
      Side& side = bench->sides[run % 2 == 1 ? turn : 1 - turn];
      const std::string name = Text(side.letter, "-", run);
      const std::string directory = Text(bench->output, "/", name);
      const uint64_t begin = MonotonicNs();
      Record(*bench, side, directory);
      side.directories.push_back(directory);
      const size_t done = bench->sides[0].directories.size() + bench->sides[1].directories.size();
      Say(Text("bench: ", name, " took ", DurationText(MonotonicNs() - begin), " (", done, " of ",
               2 * bench->runs, ")"));
    }
  }
}

// What changed from the first side's runs to the second's.
int Compare(Bench bench) {
  bench.wish.before = bench.sides[0].directories;
  bench.wish.after = bench.sides[1].directories;
  const int status = CompareAndPrint(bench.wish);
  const std::string runs = ShellQuote(bench.output);
  Say(Text("the runs are kept; again: syncline compare ", runs, "/a-* -- ", runs, "/b-*"));
  return status;
}

}  // namespace

int RunBench(const Arguments& arguments) {
  Bench bench;
  CommandLine words("bench");
  words.Number("-n, --runs N", &bench.runs, "So many runs of each command [7]");
  words.Text("-o, --output DIR", &bench.output,
             "New directory for the runs a-1, b-1, a-2 ... [syncline-out/bench-N]");
  words.Text("--format NAME", &bench.wish.format,
             "Of the comparison: text, md, json or html [text]");
  words.Flag("--all", &bench.wish.all, "All rows and changes of the comparison");
  const auto middle = std::find(arguments.begin(), arguments.end(), kAgainst);
  const Arguments first(arguments.begin(), middle);
  const OptionSpan span = FindOptionSpan(words.app(), first);
  const auto end = first.begin() + static_cast<ptrdiff_t>(span.end);
  const Arguments own(first.begin(), end - (span.had_separator ? 1 : 0));
  int exit_code = 0;
  if (!ParseCommandLine(&words, span.error.empty() ? own : first, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  std::string error = bench.runs == 0 ? "-n 0 would record nothing: name a number of runs." : "";
  const bool has_other = middle != arguments.end();
  bench.sides[0].command = AsCommand(Arguments(end, first.end()));
  if (has_other) bench.sides[1].command = AsCommand(Arguments(middle + 1, arguments.end()));
  if (error.empty()) error = UnfitFormat(bench.wish);
  if (error.empty()) error = CommandsProblem(bench, has_other);
  if (error.empty()) error = MakeOutput(&bench);
  if (!error.empty()) {
    SayError(error);
    return kExitOurFailure;
  }
  RecordAll(&bench);
  return Compare(bench);
}

}  // namespace syncline
