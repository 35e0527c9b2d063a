// SPDX-License-Identifier: Apache-2.0
// `syncline bench A --against B`: records two commands in turn, so that what changes on the machine
// meanwhile comes to both.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "inject/core/clock.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/commands/compare_command.h"
#include "launcher/commands/run_line.h"
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
  std::vector<std::string> directories{};  // of the runs that are whole
  std::vector<std::string> crashed{};      // names of runs that were recorded once more
};

struct Bench {
  std::string output;
  int runs = kRuns;
  Side sides[2] = {{"a", {}}, {"b", {}}};
  Arguments options;  // of the recordings, as words
  CompareWish wish;
};

// Of the recordings: not what this command decides itself, nor what records nothing, or talks.
bool FitsBench(size_t option) {
  return option != OptionIndex("output") && option != OptionIndex("force") &&
         option != OptionIndex("disable") && option != OptionIndex("quiet") &&
         option != OptionIndex("stage.lines");
}

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

// By a signal that a mistake in the program brings, also where a shell tells of it.
bool IsCrash(int wait_status) {
  constexpr int kShellsSignals = 128;
  const int signal =
      WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status) - kShellsSignals;
  return signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS;
}

std::string HowItEnded(int wait_status) {
  const bool killed = WIFSIGNALED(wait_status);
  return DescribeExit({killed ? ExitKind::kSignaled : ExitKind::kExited,
                       killed ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status), "launcher"});
}

// An end that nothing can be made of ends the bench.
ChildEnd RecordOnce(const Bench& bench, const Side& side, const std::string& name) {
  const std::string directory = Text(bench.output, "/", name);
  Arguments words = {"syncline", "run", "--quiet", "-o", directory};
  words.insert(words.end(), bench.options.begin(), bench.options.end());
  words.emplace_back("--");
  words.insert(words.end(), side.command.begin(), side.command.end());
  const ChildEnd end = RunChild(OwnPath(), words);
  if (end.error != 0) {
    SayError(Text("cannot start ", name, ": ", ErrorText(end.error), "."));
    std::exit(kExitOurFailure);
  }
  if (end.stopped_by != 0) {
    SayError(Text("stopped in ", name, ".", KeptOrTakenAway(bench)));
    LeaveBecause(end);
  }
  return end;
}

// A program may crash when its work is done, as PyTorch does in one of sixty runs: its run is put
// aside, and recorded once more.
ChildEnd RecordPastCrash(const Bench& bench, Side* side, const std::string& name) {
  const ChildEnd end = RecordOnce(bench, *side, name);
  if (end.wait_status == 0 || !IsCrash(end.wait_status)) return end;
  const std::string directory = Text(bench.output, "/", name);
  const std::string aside = Text(bench.output, "/crashed-", name);
  std::error_code error;
  std::filesystem::rename(directory, aside, error);
  if (error) return end;
  side->crashed.push_back(name);
  SayError(Text(name, ", ", ShellQuote(side->command), ", ", HowItEnded(end.wait_status),
                ", and is recorded once more. `syncline report ", ShellQuote(aside),
                "` says where it was."));
  return RecordOnce(bench, *side, name);
}

// Records one run. An end that is no good one ends the bench.
void Record(const Bench& bench, Side* side, const std::string& name) {
  const ChildEnd end = RecordPastCrash(bench, side, name);
  const std::string command = ShellQuote(side->command);
  if (end.wait_status != 0) {
    SayError(Text(name, ", ", command, ", ", HowItEnded(end.wait_status),
                  ": a run that fails is compared with nothing.", KeptOrTakenAway(bench)));
    LeaveBecause(end);
  }
  if (!Exists(Text(bench.output, "/", name, "/run/job.json"))) {
    SayError(Text("nothing was recorded of ", name, ", ", command, ": run `syncline -- COMMAND` ",
                  "alone to see why.", KeptOrTakenAway(bench)));
    std::exit(kExitOurFailure);
  }
}

// So that no run pays for what is read, compiled or set up for the first time. Its name is not like
// those of runs that are compared.
void WarmUp(const Bench& bench, Side* side) {
  Say(Text("bench: warm-up of ", side->letter));
  const std::string name = Text("warm-up-", side->letter);
  Record(bench, side, name);
  std::error_code ignored;
  std::filesystem::remove_all(Text(bench.output, "/", name), ignored);
}

// a b b a a b b a ...: neither comes first more often.
void RecordAll(Bench* bench) {
  for (Side& side : bench->sides) WarmUp(*bench, &side);
  for (int run = 1; run <= bench->runs; ++run) {
    for (int turn = 0; turn < 2; ++turn) {
      Side& side = bench->sides[run % 2 == 1 ? turn : 1 - turn];
      const std::string name = Text(side.letter, "-", run);
      const std::string directory = Text(bench->output, "/", name);
      const uint64_t begin = MonotonicNs();
      Record(*bench, &side, name);
      side.directories.push_back(directory);
      const size_t done = bench->sides[0].directories.size() + bench->sides[1].directories.size();
      Say(Text("bench: ", name, " took ", DurationText(MonotonicNs() - begin), " (", done, " of ",
               2 * bench->runs, ")"));
    }
  }
}

// Who compares the runs that ended well has to know that others did not.
void TellCrashes(const Bench& bench) {
  for (const Side& side : bench.sides) {
    if (side.crashed.empty()) continue;
    SayError(Text(side.crashed.size(), " of ", bench.runs + 1, " runs of ", side.letter,
                  " crashed and ", side.crashed.size() == 1 ? "was" : "were",
                  " recorded once more: ", JoinNames(side.crashed),
                  ". The comparison is of runs that ended well."));
  }
}

// What changed from the first side's runs to the second's.
int Compare(Bench bench) {
  bench.wish.before = bench.sides[0].directories;
  bench.wish.after = bench.sides[1].directories;
  const int status = CompareAndPrint(bench.wish);
  TellCrashes(bench);
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
  words.Remark("Options of the recordings (`syncline help`) may stand there, too.");
  const RecordingOptions recording(&words.app(), FitsBench);
  const auto middle = std::find(arguments.begin(), arguments.end(), kAgainst);
  const Arguments first = WithNumbers(words.app(), Arguments(arguments.begin(), middle));
  const OptionSpan span = FindOptionSpan(words.app(), first);
  const auto end = first.begin() + static_cast<ptrdiff_t>(span.end);
  const Arguments own(first.begin(), end - (span.had_separator ? 1 : 0));
  int exit_code = 0;
  if (!ParseCommandLine(&words, span.error.empty() ? own : first, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  std::string error = bench.runs == 0 ? "-n 0 would record nothing: name a number of runs." : "";
  std::vector<GivenOption> options;
  if (error.empty()) error = recording.Take(&options);
  for (const GivenOption& option : options) {
    const Arguments more = WordsOf(option);
    bench.options.insert(bench.options.end(), more.begin(), more.end());
  }
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
