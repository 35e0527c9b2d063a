// SPDX-License-Identifier: Apache-2.0
// Which option has which language.
#include "launcher/list_options.h"

#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/collect_option.h"
#include "launcher/ranks_option.h"

namespace syncline {

std::string ListProblem(size_t option, const std::string& where, const std::string& text) {
  switch (option) {
    case OptionIndex("collect"):
      return CollectProblem(where, text);
    case OptionIndex("ranks"):
      return RanksProblem(where, text, FindRank(Environment).world_size);
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
