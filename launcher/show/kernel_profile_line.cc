// SPDX-License-Identifier: Apache-2.0
// Nsight Compute counts launches process by process, and only those that fit all its filters. By
// its function's name a kernel is found whatever its name is written like: demanglers differ.
#include "launcher/show/kernel_profile_line.h"

#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/dotted_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "inject/core/segment.h"
#include "launcher/host/shell_text.h"
#include "report/kernel_classes.h"
#include "report/words.h"

namespace syncline {
namespace {

struct RankVariable {
  const char* launcher;
  const char* variable;
};
constexpr RankVariable kRankVariables[] = {
#define SYNCLINE_RANK(kind, name, rank, world, local, local_size, node, required, attempt, \
                      spawned)                                                             \
  {name, rank},
#include "inject/core/rank.def"
#undef SYNCLINE_RANK
};

std::string VariableOfRank(const std::string& launcher) {
  for (const RankVariable& row : kRankVariables) {
    if (launcher == row.launcher) return row.variable;
  }
  return "RANK";
}

const ManifestProcess* ProcessOf(const RankManifest& manifest, uint64_t pid) {
  for (const ManifestProcess& process : manifest.processes) {
    if (static_cast<uint64_t>(process.pid) == pid) return &process;
  }
  return nullptr;
}

// Who has to be started: workers that a program makes of itself (fork, multiprocessing) are not
// started by their own line.
const ManifestProcess* StartedProcess(const RankLaunches& rank, uint64_t pid) {
  const ManifestProcess* process = ProcessOf(rank.manifest, pid);
  if (process == nullptr || !RunsAlone(rank)) return process;
  constexpr int kMostLevels = 32;  // pids of an edited file may go in a circle
  for (int level = 0; level < kMostLevels; ++level) {
    const ManifestProcess* parent = ProcessOf(rank.manifest, static_cast<uint64_t>(process->ppid));
    if (parent == nullptr || parent->executable.empty() ||
        parent->executable != process->executable)
      break;
    process = parent;
  }
  return process;
}

std::string EscapedForFilter(const std::string& name) {
  std::string escaped;
  for (const char c : name) {
    if (std::strchr("@,[]/*+\\", c) != nullptr) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

bool HasFilter(const ChosenLaunch& chosen) {
  return chosen.within && !IsOwnDomain(chosen.within->domain) && !chosen.is_helped;
}

std::string Line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + ScriptWord(word);
  return line;
}

std::string Options(const ChosenLaunch& chosen) {
  std::vector<std::string> words = {kKernelProfiler, "--target-processes", "all"};
  const auto add = [&words](std::string option, std::string value) {
    words.push_back(std::move(option));
    words.push_back(std::move(value));
  };
  add("--kernel-name-base", chosen.function.empty() ? "mangled" : "function");
  add("--kernel-name", chosen.function.empty() ? chosen.kernel : chosen.function);
  if (HasFilter(chosen)) {
    words.emplace_back("--nvtx");
    add("--nvtx-include", NvtxFilter(*chosen.within));
  }
  // As many kernels as the trace has: those within a graph would count.
  if (chosen.has_whole_graphs) add("--graph-profiling", "graph");
  add("--launch-skip", std::to_string(chosen.before));
  add("--launch-count", "1");
  return Line(words);
}

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f %%", 100 * share);
  return text;
}

std::string ProblemOf(const ChosenLaunch& chosen, const RankLaunches& rank) {
  if (!chosen.problem.empty()) return chosen.problem;
  if (!RunsAlone(rank) && KernelPatterns().ClassOf(chosen.kernel) == KernelClass::kCommunication)
    return "it waits for other ranks, and a kernel is profiled by running it several times alone: "
           "it would never end";
  const ManifestProcess* process = StartedProcess(rank, chosen.process);
  if (process == nullptr || process->arguments.empty())
    return "the program's command line was not recorded (--no-command-line)";
  if (process->arguments_cut)
    return "the program's command line is longer than what is recorded of it";
  return "";
}

// Of what is read by people: a template's name may have thousands of characters.
std::string ShortKernel(const std::string& name) {
  constexpr size_t kMostColumns = 120;
  return Shortened(KernelName(name), kMostColumns);
}

std::string Short(const std::string& name) {
  constexpr size_t kMostColumns = 50;
  return ShortenedName(PrintableText(name), kMostColumns);
}

std::string StageText(const ChosenLaunch& chosen) {
  return chosen.within ? Text(" in `", Short(chosen.within->name), "`") : "";
}

// What somebody who trusts the number has to know.
std::vector<std::string> Remarks(const ChosenLaunch& chosen, const RankLaunches& rank) {
  std::vector<std::string> remarks;
  if (chosen.is_helped) {
    remarks.push_back(
        Text("a thread that works for `", Short(chosen.within->name),
             "` launches it, outside of that range: all launches of the process count"));
  } else if (chosen.within && !HasFilter(chosen)) {
    remarks.push_back(
        Text("`", Short(chosen.within->name), "` is no NVTX range: all launches count"));
  }
  if (chosen.several_threads)
    remarks.emplace_back("several threads launch it: their order may be another one next time");
  if (chosen.without_calls)
    remarks.emplace_back("its calls were not recorded: counted as they began on the device");
  if (!rank.manifest.losses.empty())
    remarks.emplace_back("records were lost: the number may be too low");
  if (!RunsAlone(rank))
    remarks.emplace_back("in the job's command, in place of this program's line:");
  return remarks;
}

}  // namespace

std::string NvtxFilter(const StageCall& call) {
  return Text(call.domain.empty() ? "" : EscapedForFilter(call.domain) + "@",
              EscapedForFilter(call.name), call.any_thread ? "" : "/");
}

bool RunsAlone(const RankLaunches& rank) { return rank.manifest.world_size <= 1; }

std::string ProfileCommand(const ChosenLaunch& chosen, const RankLaunches& rank) {
  if (!ProblemOf(chosen, rank).empty()) return "";
  const std::string program = Line(StartedProcess(rank, chosen.process)->arguments);
  if (RunsAlone(rank)) return Text(Options(chosen), " ", program);
  const std::string script =
      Text("if [ \"$", VariableOfRank(rank.manifest.launcher), "\" = ", rank.manifest.rank,
           " ]; then exec ", Options(chosen), " \"$@\"; fi; exec \"$@\"");
  return Text("sh -c ", ScriptWord(script), " sh ", program);
}

std::string ProfileLines(const ChosenLaunch& chosen, const RankLaunches& rank) {
  std::string lines = PrintableText(Text("# ", ShortKernel(chosen.kernel), ": ",
                                         Percent(chosen.share), ", ", DurationText(chosen.total_ns),
                                         " in ", Counted(chosen.launches, "launch"))) +
                      "\n";
  if (const std::string problem = ProblemOf(chosen, rank); !problem.empty())
    return lines + PrintableText(Text("#   no command: ", problem)) + "\n";
  const ManifestProcess* process = ProcessOf(rank.manifest, chosen.process);
  const std::string name = Short(chosen.function.empty() ? chosen.kernel : chosen.function);
  lines += PrintableText(Text("#   launch ", chosen.before + 1, " of ", chosen.fitting, " of `",
                              name, "`", StageText(chosen), ", ", rank.name, ", process ",
                              Short(process->name), " (", chosen.process,
                              "): the one of median length, ", DurationText(chosen.length_ns))) +
           "\n";
  for (const std::string& remark : Remarks(chosen, rank))
    lines += PrintableText("#   " + remark) + "\n";
  return lines + ProfileCommand(chosen, rank) + "\n";
}

}  // namespace syncline
