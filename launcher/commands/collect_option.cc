// SPDX-License-Identifier: Apache-2.0
// Names of the table of collectors, for help and for mistakes.
#include "launcher/commands/collect_option.h"

#include "inject/core/collect_list.h"
#include "inject/core/options.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

// "The collectors are nvtx, cuda and level_zero; all stands for all of them."
std::string KnownCollectors() {
  return Text("The collectors are ", JoinNames(CollectorNames()), "; ", kAllCollectors,
              " stands for all of them.");
}

}  // namespace

std::vector<std::string> CollectorNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    if (!kCollectors[i]->is_companion) names.emplace_back(kCollectors[i]->name);
  }
  return names;
}

std::string CollectProblem(const std::string& where, const std::string& list) {
  bool names_some = false;
  const char* rest = list.c_str();
  for (std::string_view word = NextWord(&rest); !word.empty(); word = NextWord(&rest)) {
    names_some = true;
    if (IsCollectorWord(word)) continue;
    std::vector<std::string> known = CollectorNames();
    known.emplace_back(kAllCollectors);
    const std::string nearest = NearestName(std::string(word), known);
    return Text("there is no collector ", ShellQuote(word), ", which ", where, " names",
                nearest.empty() ? ". " : Text(": did you mean ", nearest, "? "), KnownCollectors());
  }
  if (names_some) return "";
  return Text("the value ", ShellQuote(list), " of ", where,
              " names no collector. Names are separated by commas. ", KnownCollectors());
}

std::string OptionHelp(size_t index) {
  const OptionRow& row = kOptions[index];
  if (*row.most != '\0') return Text(row.help, ": ", row.least, " to ", row.most);
  if (*row.least != '\0') return Text(row.help, ", at least ", row.least);
  if (index != OptionIndex("collect")) return row.help;
  return Text(kOptions[index].help, ": ", JoinNames(CollectorNames()), " [", kAllCollectors, "]");
}

}  // namespace syncline
