// SPDX-License-Identifier: Apache-2.0
// `syncline ncu DIR`: the command that profiles each of the costliest kernels with Nsight Compute.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/kernel_profile_line.h"
#include "launcher/show/last_run.h"
#include "launcher/show/launch_choice.h"
#include "launcher/show/view_moment.h"
#include "launcher/start/program.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

struct NcuLine {
  std::string directory;
  int top = 5;
  std::string stage;
  bool run = false;
};

// False: said why.
bool ReadRanks(const NcuLine& line, std::vector<RankLaunches>* ranks) {
  constexpr std::string_view kSuffix = ".trace.json.gz";
  std::vector<std::string> names = ListDirectory(line.directory);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!name.ends_with(kSuffix)) continue;
    const std::string path = Text(line.directory, "/", name);
    RankLaunches& rank = ranks->emplace_back();
    rank.name = name.substr(0, name.size() - kSuffix.size());
    Status status = ReadManifest(ManifestOfTrace(path), &rank.manifest);
    if (status.ok()) status = ReadKernelLaunches(path, line.stage, &rank.found);
    if (!status.ok()) {
      SayError(status.message());
      return false;
    }
  }
  if (!ranks->empty()) return true;
  SayError(Text(ShellQuote(line.directory), " holds no traces. Name the directory of a run."));
  return false;
}

// The stages to which alone the run was limited; empty: it was not, or by something else, too.
std::string OnlyRecorded(const std::string& directory) {
  std::string text;
  if (ReadFile(directory + "/run/job.json", &text) != 0) return "";
  const Json job = ParseJson(text);
  if (!job.is_object() || !job.contains("options")) return "";
  const auto option = [&job](const char* name) {
    std::string value;
    TakeField(job["options"], name, &value);
    return value;
  };
  for (const char* other : {"steps", "schedule", "exclude.stages"}) {
    if (!option(other).empty()) return "";
  }
  const std::string gate = option("gate");
  const bool by_stages = (gate == "auto" || gate == "stages") && option("delay") == "0" &&
                         option("duration") == "0" && option("stage.scope") == "process";
  return by_stages ? option("stages") : "";
}

std::string NoKernels(const NcuLine& line, const std::vector<RankLaunches>& ranks) {
  const bool has_launches = std::any_of(
      ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.found.launches.empty(); });
  if (!has_launches) return Text("no kernel was recorded in ", ShellQuote(line.directory), ".");
  const bool has_calls = std::any_of(
      ranks.begin(), ranks.end(), [](const auto& rank) { return !rank.found.stage_calls.empty(); });
  if (has_calls) return Text("no kernel was launched in a stage ", ShellQuote(line.stage), ".");
  std::vector<std::string> others;
  for (const RankLaunches& rank : ranks) {
    for (const std::string& name : rank.found.other_names) others.push_back(PrintableText(name));
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return Text(
      "no range fits --stage ", ShellQuote(line.stage),
      others.empty() ? ": the run has no ranges." : Text(": there are ", SomeNames(others), "."));
}

// Its exit status.
int RunShell(const std::string& command) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(kExitNotFound);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return kExitOurFailure;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitOurFailure;
}

// Why --run cannot do it; empty: it can.
std::string NotRunnable(const std::vector<ChosenLaunch>& chosen,
                        const std::vector<RankLaunches>& ranks) {
  if (FindProgram(kKernelProfiler, Environment("PATH")).path.empty())
    return Text("--run: there is no `", kKernelProfiler,
                "` on PATH. Install Nsight Compute (it comes with the CUDA toolkit), or call "
                "without --run and take the lines to where it is.");
  for (const ChosenLaunch& launch : chosen) {
    if (!RunsAlone(ranks[launch.rank]))
      return Text(
          "--run: ", ranks[launch.rank].name,
          " is a rank of a job, which only the job's command starts. Call without --run and "
          "put a line into that command.");
  }
  return "";
}

int PrintOrRun(const NcuLine& line, const std::vector<ChosenLaunch>& chosen,
               const std::vector<RankLaunches>& ranks) {
  const std::string not_runnable = line.run ? NotRunnable(chosen, ranks) : "";
  if (!not_runnable.empty()) {
    SayError(not_runnable);
    return kExitOurFailure;
  }
  bool any = false;
  int exit_code = 0;
  for (const ChosenLaunch& launch : chosen) {
    const RankLaunches& rank = ranks[launch.rank];
    std::fputs(ProfileLines(launch, rank).c_str(), stdout);
    std::fflush(stdout);
    const std::string command = ProfileCommand(launch, rank);
    any = any || !command.empty();
    if (!line.run || command.empty()) continue;
    if (const int status = RunShell(command); exit_code == 0) exit_code = status;
  }
  return any ? exit_code : kExitOurFailure;
}

}  // namespace

int RunNcu(const Arguments& arguments) {
  CommandLine words("ncu");
  NcuLine line;
  words.OptionalWord("directory", &line.directory);
  words.Number("--top N", &line.top, "So many kernels, by the devices' time [5]");
  words.Text("--stage NAME", &line.stage,
             "Only what this range launched: a name, a pattern with * and ?, or `step #`");
  words.Flag("--run", &line.run, "Run the commands, if `ncu` is on PATH");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!TakeLastRun(&line.directory)) return kExitOurFailure;
  while (line.directory.size() > 1 && line.directory.ends_with("/")) line.directory.pop_back();
  if (line.top == 0) {
    SayError("--top 0 would print nothing: name how many kernels.");
    return kExitOurFailure;
  }
  RecoverWhatIsLeft(line.directory);
  std::vector<RankLaunches> ranks;
  if (!ReadRanks(line, &ranks)) return kExitOurFailure;
  const std::vector<ChosenLaunch> chosen = ChooseLaunches(
      ranks, !line.stage.empty(), static_cast<size_t>(line.top), OnlyRecorded(line.directory));
  if (chosen.empty()) {
    SayError(NoKernels(line, ranks));
    return kExitOurFailure;
  }
  return PrintOrRun(line, chosen, ranks);
}

}  // namespace syncline
