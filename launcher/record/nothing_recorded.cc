// SPDX-License-Identifier: Apache-2.0
// Words of the collectors, put together.
#include "launcher/record/nothing_recorded.h"

#include "inject/core/collect_list.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

std::string WordsOf(const CollectorDescription& collector) {
  return collector.records != nullptr ? collector.records : collector.name;
}

// "a, b or c".
std::string JoinChoices(const std::vector<std::string>& words) {
  std::string text = JoinNames(words);
  const size_t last = text.rfind(" and ");
  return words.size() < 2 ? text : text.replace(last, 5, " or ");
}

struct Chosen {
  std::vector<std::string> looked_for;
  std::vector<std::string> left_out;  // and used
  std::string whole_list;             // of --collect, with what was left out
};

Chosen Choose(const LookedFor& looked_for) {
  Chosen chosen;
  for (size_t i = 0; i < kCollectorCount; ++i) {
    const CollectorDescription& collector = *kCollectors[i];
    if (collector.is_companion) continue;
    const bool collected = LooksFor(looked_for, collector.name);
    const bool used = !collected && ((looked_for.left_out >> collector.source) & 1) != 0;
    if (collected) chosen.looked_for.push_back(WordsOf(collector));
    if (used) chosen.left_out.push_back(WordsOf(collector));
    if (!collected && !used) continue;
    chosen.whole_list += Text(chosen.whole_list.empty() ? "" : ",", collector.name);
  }
  return chosen;
}

}  // namespace

bool LooksFor(const LookedFor& looked_for, std::string_view collector) {
  return IsCollected(looked_for.list.c_str(), collector);
}

std::string NothingRecordedLine(const LookedFor& looked_for) {
  if (looked_for.refused) return "nothing was recorded; see above";
  if (looked_for.ranks_left_out != 0) {
    return Text("nothing was recorded: --ranks leaves ",
                looked_for.ranks_left_out == 1 ? "the rank" : "all ranks", " out");
  }
  if (!looked_for.lost_programs.empty())
    return Text("nothing was recorded: ", looked_for.lost_programs);
  const Chosen chosen = Choose(looked_for);
  const std::string none = Text("nothing was recorded: the launcher saw no process with ",
                                JoinChoices(chosen.looked_for));
  if (chosen.left_out.empty() && !looked_for.processes.empty())
    return Text(none, "; --processes leaves all programs out but ",
                ShellQuote(looked_for.processes));
  if (chosen.left_out.empty() && !looked_for.skip.empty())
    return Text(none, "; --skip leaves out ", ShellQuote(looked_for.skip));
  if (chosen.left_out.empty() && !looked_for.servers.empty()) {
    const bool one = looked_for.servers.size() == 1;
    return Text(none, "; the program was connected to ", SomeNames(looked_for.servers),
                ", which Syncline did not start: if ", one ? "that one" : "one of these",
                " does the work, put `syncline --` before the command that starts it");
  }
  if (chosen.left_out.empty()) return none + "; `syncline doctor` tells what can be recorded here";
  const std::string given =
      (looked_for.on_line ? "--collect " : "SYNCLINE_COLLECT=") + ShellQuote(looked_for.list);
  return Text(none, "; there were ", JoinNames(chosen.left_out), ", which ", given,
              " leaves out (--collect ", chosen.whole_list, " records them)");
}

}  // namespace syncline
