// SPDX-License-Identifier: Apache-2.0
// Words that are no ranks, and what was probably meant.
#include "launcher/commands/ranks_option.h"

#include <vector>

#include "inject/core/rank_list.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr const char* kForms =
    "Ranks are written 3, 8-15, every:8 (0, 8, 16 ...), node-first or local:0 (on each node), and "
    "separated by commas.";

// "0-7" for "7-0", "0:7", "0..7" and "0-"; "" if there are not two numbers.
std::string AsSpan(std::string_view word) {
  const size_t first_end = word.find_first_not_of("0123456789");
  const size_t last_begin = word.find_last_not_of("0123456789");
  if (first_end == 0 || first_end == std::string_view::npos) return "";
  const int first = RankNumber(word.substr(0, first_end));
  const int last = RankNumber(word.substr(last_begin + 1));
  if (first < 0 || last < 0) return "";
  return first <= last ? Text(first, "-", last) : Text(last, "-", first);
}

std::string NearestForm(std::string_view word) {
  if (const std::string span = AsSpan(word); !span.empty()) return span;
  const size_t end = word.find_last_not_of("0123456789:=");
  if (end == std::string_view::npos) return "";
  const std::string key =
      NearestName(std::string(word.substr(0, end + 1)), {"every", "local", "node-first"});
  if (key.empty() || key == "node-first") return key;
  const int number = RankNumber(word.substr(word.find_last_not_of("0123456789") + 1));
  if (key == "every") return Text(kEveryRank, number > 0 ? number : 8);
  return Text(kLocalRank, number >= 0 ? number : 0);
}

}  // namespace

std::string RanksProblem(const std::string& where, const std::string& list, int world_size) {
  bool names_some = false;
  const char* rest = list.c_str();
  for (std::string_view word = NextWord(&rest); !word.empty(); word = NextWord(&rest)) {
    names_some = true;
    const RankWord parsed = ParseRankWord(word);
    if (parsed.kind == RankWord::Kind::kBad) {
      const std::string nearest = NearestForm(word);
      return Text(ShellQuote(std::string(word)), ", which ", where, " names, is no rank",
                  nearest.empty() ? ". " : Text(": did you mean ", nearest, "? "), kForms);
    }
    if (parsed.kind == RankWord::Kind::kRanks && world_size > 0 && parsed.first >= world_size) {
      return Text("the job has no rank ", parsed.first, ", which ", where, " names: its ",
                  world_size, world_size == 1 ? " rank is 0." : " ranks are 0 to ",
                  world_size == 1 ? "" : Text(world_size - 1, "."));
    }
  }
  if (names_some) return "";
  return Text("the value ", ShellQuote(list), " of ", where, " names no rank. ", kForms);
}

}  // namespace syncline
