// SPDX-License-Identifier: Apache-2.0
// One pattern: that of the first framework that names its optimizer's steps.
#include "launcher/commands/default_steps.h"

#include <algorithm>

#include "base/text.h"
#include "inject/core/options.h"
#include "launcher/host/shell_text.h"
#include "model/devices/source_facts.h"

namespace syncline {
namespace {

bool Gives(const RunLine& line, size_t option) {
  char variable[64];
  OptionVariable(option, variable);
  const char* text = Environment(variable);
  return (text != nullptr && *text != '\0') ||
         std::any_of(line.options.begin(), line.options.end(),
                     [=](const GivenOption& given) { return given.index == option; });
}

}  // namespace

std::string AddStepRange(RunLine* line) {
  const bool asks = Gives(*line, OptionIndex("steps")) || Gives(*line, OptionIndex("schedule"));
  if (!asks || Gives(*line, OptionIndex("step.range"))) return "";
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.optimizer_range.empty()) continue;
    const std::string pattern = std::string(facts.optimizer_range) + "*";
    line->options.push_back({OptionIndex("step.range"), pattern});
    return Text("a step begins with each range ", ShellQuote(pattern), " of ", facts.name,
                ": --step-range names others");
  }
  return "";
}

}  // namespace syncline
