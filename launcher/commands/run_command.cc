// SPDX-License-Identifier: Apache-2.0
// `syncline run`: reads the line and decides how the program is run: recorded, joined to an outer
// run, or left alone.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "inject/core/labelled_patterns.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/commands/command.h"
#include "launcher/commands/default_steps.h"
#include "launcher/commands/list_options.h"
#include "launcher/commands/option_file.h"
#include "launcher/commands/presets.h"
#include "launcher/commands/recording.h"
#include "launcher/commands/run_line.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/gate_options.h"
#include "launcher/jobs/mpi_command.h"
#include "launcher/jobs/node_places.h"
#include "launcher/start/cupti_folder.h"
#include "launcher/start/library.h"
#include "launcher/start/preload_path.h"
#include "launcher/start/program.h"
#include "launcher/start/simulated_gpu.h"
#include "launcher/start/spawn.h"
#include "launcher/start/unrecorded.h"

namespace syncline {
namespace {

// What is wrong with a list of functions and their labels, and where; empty: nothing.
std::string LabelProblem(const std::string& list) {
  const LabelError error = FindLabelError(list);
  if (error.why == nullptr) return "";
  const std::string before = list.substr(0, error.at);
  const bool says_nothing = before.find_first_not_of(" ,") == std::string::npos;
  const std::string right = says_nothing ? "" : Text(" (", ShellQuote(before), " is right)");
  return Text("--python-ranges ", ShellQuote(list), ": ", error.why, ", at character ",
              error.at + 1, right, ". Write ",
              "'MODULE.FUNCTION(ARGUMENT, ARGUMENT.ATTRIBUTE), MODULE.OTHER'.");
}

int NotFound(const FoundProgram& found, const std::string& name) {
  std::vector<std::string> commands;
  for (size_t i = 0; i < kCommandCount; ++i) commands.push_back(kCommands[i].name);
  const std::string nearest = found.exit_code == kExitNotFound ? NearestName(name, commands) : "";
  SayError(nearest.empty() ? found.error
                           : Text(found.error, " Or did you mean `syncline ", nearest, "`?"));
  return found.exit_code;
}

// What a user whose scheduler forbids launchers can put into the job script.
int PrintPlan(const RecordRequest& request) {
  EnvRequest plan{request.library, {}, request.preload, request.behind};
  for (EnvChange& change : OptionVariables(request.options))
    plan.handed_down.push_back(std::move(change));
  if (const std::string cupti = FindCuptiFolder(request.program_path); !cupti.empty())
    plan.handed_down.push_back({VariableName(Variable::kCupti), cupti});
  EnvBlock environment = request.inherited;
  std::string text;
  const auto print = [&](const EnvChange& change) {
    environment.Set(change);
    text += Text("export ", change.name, "=", ScriptWord(change.value), "\n");
  };
  for (const EnvChange& change : request.for_gpu) print(change);
  for (const EnvChange& change : PlanEnvironment(plan, environment)) print(change);
  Arguments arguments = request.arguments;
  if (request.mpi == MpiLauncher::kOpenMpi) {
    MpiEdit edit = ForwardThroughOpenMpi(arguments, plan, environment);
    for (const EnvChange& change : edit.changes) print(change);
    arguments = std::move(edit.arguments);
  }
  for (const std::string& word : arguments)
    text += Text(ScriptWord(word), &word == &arguments.back() ? "\n" : " ");
  std::fputs(text.c_str(), stdout);
  return 0;
}

// The outer launcher records whatever has its variables and the library. Its own copy fits it best;
// where that is out of sight, as in a container, ours takes its place.
int JoinOuterRun(const RecordRequest& request) {
  if (!request.options.empty()) {
    SayWarning(
        "this runs inside another syncline and becomes part of its run: the options given here are "
        "ignored.");
  }
  EnvBlock environment = request.inherited;
  const std::string preloaded = PreloadedLibrary(environment);
  const std::string outer = LibraryBehindDoors(environment);
  const std::string& library = Exists(outer) ? outer : request.library;
  // As the outer launcher was told.
  const std::string preload = outer.empty() || !preloaded.empty() ? PreloadPath(library) : "";
  for (const EnvChange& change :
       PlanEnvironment({library, {}, preload, request.behind}, environment))
    environment.Set(change);
  const SpawnRequest joined{request.program_path, request.arguments, environment.entries()};
  if (ReplaceByProgram(joined, nullptr) == E2BIG)
    return RunUnrecorded(Unrecorded(request), kTooLong);
  return Become(joined);
}

// Not switched off, and no outer launcher does it, whose version may know more than this one.
bool Records() {
  return OptionNumber(OptionIndex("disable")) == 0 &&
         !LauncherAnswers(VariableText(Variable::kSocket));
}

// Whether the line itself says when something is recorded, and not only variables.
bool SaysWhen(const RunLine& line) {
  return std::any_of(line.options.begin(), line.options.end(),
                     [](const GivenOption& option) { return IsGateOption(option.index); });
}

// Why nothing can be recorded with the variables as they are; "": it can.
std::string VariablesProblem() {
  std::string problem = ListVariablesProblem();
  return problem.empty() ? GateProblem(GivenGateOptions()) : problem;
}

int RunFound(const RunLine& line, RecordRequest* request) {
  const SpawnRequest alone = Unrecorded(*request);
  if (OptionNumber(OptionIndex("disable")) != 0) return Become(alone);
  const Judgement judgement = JudgeProgram(request->program_path);
  if (judgement.reach != Reach::kAll && FindRank(Environment).rank <= 0) SayWarning(judgement.why);
  if (judgement.reach == Reach::kNothing) return Become(alone);

  std::string error = Records() ? VariablesProblem() : "";
  if (error.empty()) request->library = FindLibrary(&error);
  if (error.empty()) error = PreloadPathProblem(request->library);
  if (!error.empty() && !line.dry_run) return RunUnrecorded(alone, error);
  if (!error.empty()) {
    SayError(error);
    return kExitOurFailure;  // of a line that runs no program
  }
  if (!line.no_preload) request->preload = PreloadPath(request->library);
  request->mpi = FindMpiLauncher(request->program_path);
  if (line.dry_run) return PrintPlan(*request);
  if (LauncherAnswers(VariableText(Variable::kSocket))) return JoinOuterRun(*request);
  return RecordProgram(*request);
}

// False: said why. Nothing of the program runs then: on another GPU, or on none, it would do what
// nobody asked for.
bool PutOnSimulatedGpu(RecordRequest* request) {
  const SimulatedGpu gpu = FindSimulatedGpu(
      request->program_path, OptionText(OptionIndex("simulated.gpu")), request->inherited);
  if (!gpu.error.empty()) {
    SayError(gpu.error);
    return false;
  }
  const char* path = request->inherited.Find(gpu.path.name);
  const bool is_new = path == nullptr || gpu.path.value != path;  // no outer launcher did it
  request->for_gpu = {gpu.path};
  if (!gpu.preload.empty()) {
    const char* now = request->inherited.Find("LD_PRELOAD");
    const std::string list = now == nullptr ? "" : now;
    if (!list.ends_with(gpu.preload))
      request->for_gpu.push_back(
          {"LD_PRELOAD", list.empty() ? gpu.preload : Text(list, ":", gpu.preload)});
    request->behind = gpu.preload;
  }
  for (const EnvChange& change : request->for_gpu) request->inherited.Set(change);
  if (is_new && FindRank(Environment).rank <= 0)
    Say(Text("the program runs on the simulated GPU",
             Exists("/proc/driver/nvidia/version") ? ", not on this machine's own" : "",
             ": its kernels compute nothing, and their times mean nothing"));
  return true;
}

// The line is understood: from here on the program runs, whatever is in our way.
int RunProgram(const RunLine& line, RecordRequest* request) {
  const FoundProgram found = FindProgram(line.program[0], Environment("PATH"));
  if (found.path.empty()) return NotFound(found, line.program[0]);
  if (const std::string missing = MissingInterpreter(found.path); !missing.empty()) {
    SayError(missing);
    return kExitNotFound;
  }
  request->program_path = found.path;
  if (OptionNumber(OptionIndex("on.simulated.gpu")) != 0 && !PutOnSimulatedGpu(request))
    return kExitOurFailure;
  try {
    return RunFound(line, request);
  } catch (const std::exception& error) {
    return RunUnrecorded(Unrecorded(*request),
                         Text("internal error: ", error.what(), ". Please report it."));
  }
}

}  // namespace

int RunRun(const Arguments& arguments) {
  RecordRequest request;
  request.inherited = EnvBlock::OfThisProcess();
  RunLine line = ParseRunLine(arguments);
  if (line.error.empty()) line.error = AddConfigFile(&line);
  if (line.error.empty()) line.error = AddPresets(&line);
  if (!line.error.empty()) {
    SayError(line.error);
    return kExitOurFailure;
  }
  const bool says_when = SaysWhen(line);
  const std::string steps = AddStepRange(&line);
  ExportOptions(line.options);
  const std::vector<std::string> bad_variables = FindBadVariables();
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  for (const std::string& sentence : bad_variables) SayWarning(sentence);
  for (const std::string& sentence : line.notes) SayWarning(sentence);
  if (line.help) {
    PrintGeneralHelp();
    return 0;
  }
  const std::string when = says_when && Records() ? GateProblem(GivenGateOptions()) : "";
  if (!when.empty()) {
    SayError(when);
    return kExitOurFailure;
  }
  if (const std::string problem = LabelProblem(OptionText(OptionIndex("python.ranges")));
      !problem.empty()) {
    SayError(problem);
    return kExitOurFailure;
  }
  if (OptionNumber(OptionIndex("signatures")) != 0 &&
      *OptionText(OptionIndex("python.ranges")) == '\0')
    SayWarning("--signatures does nothing without --python-ranges, which names the functions.");
  if (OptionNumber(OptionIndex("python")) == 0 && *OptionText(OptionIndex("python.ranges")) != '\0')
    SayWarning(
        "--python-ranges does nothing beside --no-python, which keeps Syncline out of the Python "
        "interpreter: leave one of them out.");
  if (line.program.empty()) {
    SayError(
        "no program was given. Write: syncline -- PROGRAM [ARGUMENTS]; `syncline help` shows "
        "more.");
    return kExitOurFailure;
  }
  if (!steps.empty()) Say(steps);
  request.arguments = line.program;
  request.options = line.options;
  return RunProgram(line, &request);
}

}  // namespace syncline
