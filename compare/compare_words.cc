// SPDX-License-Identifier: Apache-2.0
// Sentences about a comparison as a whole.
#include "compare/compare_words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "compare/told_changes.h"
#include "report/words.h"

namespace syncline {
namespace {

std::string Both(double a, double b, const char* word) {
  const auto first = static_cast<uint64_t>(std::llround(a));
  const auto second = static_cast<uint64_t>(std::llround(b));
  return first == second ? Counted(first, word)
                         : Text(CountText(first), " and ", Counted(second, word));
}

// Whether nothing that either side waits for, runs or names is of the other one, too.
bool AreStrangers(const Comparison& comparison) {
  std::set<std::string> of_a, of_b;
  for (const ComparedRow& row : comparison.rows) {
    if (row.key.kind == FactKind::kIdle || row.key.kind == FactKind::kMemory) continue;
    const std::string name = Text(row.key.name, row.was.empty() ? row.key.where : row.was);
    if (row.a.amount > 0 || row.a.count > 0) of_a.insert(name);
    if (row.b.amount > 0 || row.b.count > 0) of_b.insert(name);
  }
  const auto shared = [&](const std::string& name) { return of_b.contains(name); };
  return !of_a.empty() && !of_b.empty() && std::none_of(of_a.begin(), of_a.end(), shared);
}

}  // namespace

std::string HeadText(const Comparison& comparison) {
  const ComparedSide &a = comparison.a, &b = comparison.b;
  const size_t runs_a = a.runs.size(), runs_b = b.runs.size();
  std::string text = Text(a.name, " -> ", b.name, ": ");
  text += runs_a == 1 && runs_b == 1
              ? "one run of each"
              : Both(static_cast<double>(runs_a), static_cast<double>(runs_b), "run");
  if (a.steps > 0 || b.steps > 0) text += Text(", ", Both(a.steps, b.steps, "step"));
  text += Text(", ", Both(static_cast<double>(a.ranks), static_cast<double>(b.ranks), "rank"));
  if (a.simulated || b.simulated) text += Text("   (", kSimulated, ")");
  return text;
}

std::string NoChangeText(const Comparison& comparison) {
  return comparison.repeated
             ? "nothing differs by more than the runs of one side differ among themselves"
             : "nothing differs by more than the steps of one run differ among themselves";
}

std::string LimitsText(const Comparison& comparison) {
  if (comparison.limits.empty()) return "nothing that would bring a hundredth of the time is left";
  const ReportFinding& first = comparison.limits.front();
  const double steps = comparison.limits_steps;
  const bool per_step = first.priced && steps > 0;
  const std::string gain =
      per_step ? Text("-", TimeText(static_cast<double>(first.gain_ns) / steps), " a step")
               : GainOf(first).gain;
  const std::string share = GainOf(first).share;
  const size_t more = comparison.limits.size() - 1;
  return Text("what limits it now: ", gain, share.empty() ? "" : Text(" (", share, ")"), "  ",
              ProblemText(first), more == 0 ? "" : Text("; ", Counted(more, "finding"), " more"));
}

std::vector<std::string> NotesOf(const Comparison& comparison) {
  std::vector<std::string> notes = comparison.notes;
  const ComparedSide &a = comparison.a, &b = comparison.b;
  const auto say = [&](bool is_so, std::string note) {
    if (is_so) notes.push_back(std::move(note));
  };
  say(!comparison.repeated,
      "There is one run of each: how far two runs of one program differ is not known, and a few "
      "per cent may be chance. Give several of each (compare A1 A2 A3 -- B1 B2 B3), or let "
      "`syncline bench` record them.");
  say(AreStrangers(comparison),
      "The two have no line, kernel, copy or range in common: these are different programs.");
  say(a.ranks != b.ranks,
      Text("The runs have ", CountText(a.ranks), " and ", Counted(b.ranks, "rank"),
           ": numbers are of one rank, on an average."));
  say(a.steps > 0 && b.steps > 0 && a.steps != b.steps,
      "The runs have different numbers of steps. What ranges and operators do once, behind the "
      "loop, "
      "counts for less in the longer one, and is not told as a change.");
  say(a.steps == 0 && b.steps == 0,
      "Not all runs have steps: numbers are of the whole run of a rank.");
  say(a.steps > 0 && b.steps > 0 && a.step_name != b.step_name,
      Text("The steps have different names: `", a.step_name, "` and `", b.step_name, "`."));
  say(a.simulated != b.simulated && a.busy >= 0 && b.busy >= 0,
      "One side is of a simulated GPU: times of the two cannot be compared.");
  return notes;
}

}  // namespace syncline
