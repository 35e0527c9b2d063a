// SPDX-License-Identifier: Apache-2.0
// Windows, schedules and what does not go together.
#include "launcher/jobs/gate_options.h"

#include <algorithm>
#include <set>
#include <vector>

#include "inject/core/glob.h"
#include "inject/core/options.h"
#include "inject/core/range_names.h"
#include "inject/core/step_schedule.h"
#include "inject/core/text.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

std::vector<std::string> NumbersIn(const std::string& text) {
  std::vector<std::string> numbers;
  bool inside = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) numbers.emplace_back();
    if (digit) numbers.back() += c;
    inside = digit;
  }
  return numbers;
}

uint64_t StepOf(const std::string& digits) {
  uint64_t number = 0;
  return ParseSteps(digits, &number) ? number : kMostSteps;
}

// "5:8" for "8:5", "5-8", "5..8", "5,8"; "5:6" for "5".
std::string NearestWindow(const std::string& text) {
  const std::vector<std::string> numbers = NumbersIn(text);
  if (numbers.empty() || numbers.size() > 2) return "";
  const uint64_t first = StepOf(numbers[0]);
  const uint64_t last = numbers.size() == 2 ? StepOf(numbers[1]) : first + 1;
  if (std::max(first, last) >= kMostSteps) return "";
  if (first == last) return Text(first, ":", first + 1);
  return first < last ? Text(first, ":", last) : Text(last, ":", first);
}

std::string StepsProblem(const std::string& steps) {
  StepSchedule schedule;
  if (ParseStepWindow(steps, &schedule)) return "";
  const std::string nearest = NearestWindow(steps);
  return Text("the value ", ShellQuote(steps), " of --steps is no window of steps",
              nearest.empty() ? ". " : Text(": did you mean ", nearest, "? "),
              "It is written FIRST:END, counted from 0, the end not included: 5:8 is three steps.");
}

std::string ScheduleProblem(const std::string& text) {
  constexpr const char* kForm = "It is written 'wait=4 warmup=1 active=3 repeat=1 skip-first=0'.";
  const ParsedSchedule parsed = ParseSchedule(text);
  const std::string word(parsed.word);
  const std::string key = word.substr(0, word.find('='));
  switch (parsed.error) {
    case ScheduleError::kNone:
      return "";
    case ScheduleError::kUnknownKey: {
      const std::string nearest =
          NearestName(key, {"wait", "warmup", "active", "repeat", "skip-first"});
      return Text("there is no ", ShellQuote(key), " in a schedule, which --schedule names",
                  nearest.empty() ? ". " : Text(": did you mean ", nearest, "? "), kForm);
    }
    case ScheduleError::kBadNumber:
      return Text("the value of ", ShellQuote(word), " in --schedule is no number of steps. ",
                  kForm);
    case ScheduleError::kNoActive:
      return Text("the schedule ", ShellQuote(text), " records no step: add active=1. ", kForm);
  }
  return "";
}

std::string PatternsProblem(const char* option, const std::string& list) {
  size_t count = 0;
  const char* rest = list.c_str();
  while (!NextWord(&rest).empty()) ++count;
  if (count > kMostPatterns) {
    return Text(option, " names ", count, " patterns, and ", kMostPatterns,
                " are the most: join some with * and ?.");
  }
  if (count != 0 || list.empty()) return "";
  return Text(
      "the value ", ShellQuote(list), " of ", option,
      " names no range. Names, in which * is any text and ? any character, are separated by "
      "commas.");
}

std::string ConflictOf(const GateOptions& options) {
  if (!options.steps.empty() && !options.schedule.empty()) {
    return "--steps and --schedule both say which steps are recorded: give one of them. --steps "
           "5:8 is "
           "--schedule 'wait=5 active=3 repeat=1'.";
  }
  if (options.gate == "stages" && options.stages.empty())
    return "--gate stages needs --stages, which names them: --stages 'forward,denoise*'.";
  if (options.gate == "cuda-profiler" && !options.stages.empty()) {
    return "--gate cuda-profiler and --stages both say when to record: give one of them "
           "(--exclude-stages goes with both).";
  }
  return "";
}

bool FitsSome(const std::string& list, const std::string& name) {
  const char* rest = list.c_str();
  for (std::string_view word = NextWord(&rest); !word.empty(); word = NextWord(&rest)) {
    if (MatchesGlob(word.substr(0, word.rfind(kDomainMark)), name)) return true;
  }
  return false;
}

bool FitsAny(const std::string& list, const ManifestGate& gate) {
  for (const std::string& name : gate.range_names) {
    if (FitsSome(list, name)) return true;
  }
  return false;
}

std::string WithoutNumbers(const std::string& name) {
  std::string folded;
  bool inside = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) folded += c;
    if (digit && !inside) folded += '#';
    inside = digit;
  }
  return folded;
}

// Of many names those that differ in numbers are one: "step #".
std::string RangeNames(const std::vector<std::string>& names) {
  constexpr size_t kFew = 8;
  if (names.size() <= kFew) return JoinNames(names);
  std::set<std::string> folded;
  for (const std::string& name : names) folded.insert(WithoutNumbers(name));
  return SomeNames({folded.begin(), folded.end()});
}

std::string NoSuchRange(const char* option, const std::string& list, const ManifestGate& gate) {
  const std::string none = Text("no range fits ", option, " ", ShellQuote(list), ": ");
  if (gate.range_names.empty()) return none + kProgramHasNoRanges;
  return Text(none, "there are ", RangeNames(gate.range_names));
}

// Fewer steps cannot have had one that is asked for.
uint64_t FirstStepOf(const GateOptions& options) {
  StepSchedule schedule;
  if (options.steps.empty()) {
    schedule = ParseSchedule(options.schedule).schedule;
  } else {
    ParseStepWindow(options.steps, &schedule);
  }
  return schedule.skip_first + schedule.idle;
}

}  // namespace

bool IsGateOption(size_t option) {
  constexpr size_t kAll[] = {OptionIndex("stages"),     OptionIndex("exclude.stages"),
                             OptionIndex("step.range"), OptionIndex("steps"),
                             OptionIndex("schedule"),   OptionIndex("gate"),
                             OptionIndex("delay"),      OptionIndex("duration")};
  return std::find(std::begin(kAll), std::end(kAll), option) != std::end(kAll);
}

GateOptions GivenGateOptions() {
  GateOptions options;
  options.stages = OptionText(OptionIndex("stages"));
  options.exclude_stages = OptionText(OptionIndex("exclude.stages"));
  options.step_range = OptionText(OptionIndex("step.range"));
  options.steps = OptionText(OptionIndex("steps"));
  options.schedule = OptionText(OptionIndex("schedule"));
  options.gate = OptionText(OptionIndex("gate"));
  options.delay = OptionNumber(OptionIndex("delay")) != 0;
  options.duration = OptionNumber(OptionIndex("duration")) != 0;
  return options;
}

std::string GateProblem(const GateOptions& options) {
  if (!options.steps.empty()) {
    if (const std::string problem = StepsProblem(options.steps); !problem.empty()) return problem;
  }
  if (!options.schedule.empty()) {
    if (const std::string problem = ScheduleProblem(options.schedule); !problem.empty())
      return problem;
  }
  for (const auto& [option, list] : {std::pair{"--stages", options.stages},
                                     std::pair{"--exclude-stages", options.exclude_stages}}) {
    if (const std::string problem = PatternsProblem(option, list); !problem.empty()) return problem;
  }
  return ConflictOf(options);
}

std::string NeverOpenText(const GateOptions& options, const ManifestGate& gate) {
  std::vector<std::string> asked;
  const bool steps = !options.steps.empty() || !options.schedule.empty();
  const std::string window = options.steps.empty()
                                 ? Text("--schedule ", ShellQuote(options.schedule))
                                 : Text("--steps ", options.steps);
  if (!options.stages.empty() && !FitsAny(options.stages, gate))
    return NoSuchRange("--stages", options.stages, gate);
  if (steps && gate.steps == 0) return NoSuchRange("--step-range", options.step_range, gate);
  if (steps && gate.steps <= FirstStepOf(options)) {
    return Text("none of the steps that ", window, " asks for was recorded: the program had ",
                CountText(gate.steps), gate.steps == 1 ? " step" : " steps");
  }
  if (!options.stages.empty()) asked.push_back(Text("--stages ", ShellQuote(options.stages)));
  if (!options.exclude_stages.empty())
    asked.push_back(Text("--exclude-stages ", ShellQuote(options.exclude_stages)));
  if (steps) asked.push_back(window);
  if (options.gate == "cuda-profiler") asked.emplace_back("--gate cuda-profiler");
  if (options.delay) asked.emplace_back("--delay");
  if (options.duration) asked.emplace_back("--duration");
  if (asked.size() > 1)
    return Text("nothing was recorded: ", JoinNames(asked), " never allowed it at one time");
  if (options.gate == "cuda-profiler")
    return "nothing was recorded: the program did not call cudaProfilerStart, which --gate "
           "cuda-profiler waits for";
  if (options.delay) return "nothing was recorded: the program ended before --delay was over";
  if (options.duration)
    return "nothing was recorded: --duration was over before the program did what is recorded";
  if (options.stages.empty()) {
    return Text(
        "nothing was recorded: the program did nothing outside the ranges of "
        "--exclude-stages ",
        ShellQuote(options.exclude_stages), " that is recorded");
  }
  return Text("nothing was recorded: no stage of --stages ", ShellQuote(options.stages),
              " was open (NAME@DOMAIN is a range of that domain alone)");
}

}  // namespace syncline
