// SPDX-License-Identifier: Apache-2.0
// Which option has which language.
#include "launcher/commands/list_options.h"

#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "inject/core/text.h"
#include "launcher/commands/collect_option.h"
#include "launcher/commands/ranks_option.h"
#include "launcher/host/shell_text.h"

namespace syncline {

namespace {

// A list of none would leave everything out.
std::string PatternsProblem(const std::string& where, const std::string& list) {
  const char* rest = list.c_str();
  if (!NextWord(&rest).empty()) return "";
  return Text("the value ", ShellQuote(list), " of ", where,
              " names nothing. Patterns, in which * is any text and ? any character, are separated "
              "by commas.");
}

}  // namespace

std::string ListProblem(size_t option, const std::string& where, const std::string& text) {
  switch (option) {
    case OptionIndex("collect"):
      return CollectProblem(where, text);
    case OptionIndex("ranks"):
      return RanksProblem(where, text, FindRank(Environment).world_size);
    case OptionIndex("processes"):
    case OptionIndex("kernels"):
      return PatternsProblem(where, text);
    case OptionIndex("step.range"):
      if (!text.empty()) return "";
      return Text("the value of ", where, " is empty: write a pattern such as 'step*'.");
    default:
      return "";
  }
}

std::string ListVariablesProblem() {
  for (size_t i = 0; i < kOptionCount; ++i) {
    char name[64];
    OptionVariable(i, name);
    const char* text = Environment(name);
    if (text == nullptr || *text == '\0') continue;
    if (std::string problem = ListProblem(i, name, text); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace syncline
