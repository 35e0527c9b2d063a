// SPDX-License-Identifier: Apache-2.0
// Findings of a source, added up by what they have in common.
#include "analysis/sums/wait_sums.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sums/main_ways.h"
#include "model/devices/operation_name.h"
#include "model/run/program_name.h"
#include "symbols/demangle.h"

namespace syncline {
namespace {

constexpr size_t kMostSums = 1 << 13;
constexpr char kOtherRanges[] = "(other ranges)";

std::string RangesOf(const std::vector<std::string>& ranges, size_t at, NameFolder* names) {
  return at < ranges.size() ? names->FoldedPath(ranges[at]) : std::string();
}

std::string CallOf(const Findings& findings, const Wait& wait) {
  return wait.name < findings.call_names.size() ? findings.call_names[wait.name] : std::string();
}

// Ranges and lines whose names are never the same would make a sum of each wait.
template <typename Map, typename Key>
typename Map::mapped_type* SumsOf(Map* map, Key* key) {
  if (map->size() >= kMostSums && !map->contains(*key)) key->ranges = kOtherRanges;
  return &(*map)[*key];
}

// With all other ranges in one sum, lines alone are as many again.
void CoarsenLine(const std::map<WaitKey, WaitSums>& sums, WaitKey* key) {
  if (sums.size() < 2 * kMostSums || key->where.empty()) return;
  WaitKey other = *key;
  other.ranges = kOtherRanges;
  if (!sums.contains(*key) && !sums.contains(other)) key->where = kOtherLines;
}

// Of a gap, pairs of lines are the most: they are given up before ranges.
void CoarsenLines(const std::map<GapKey, DurationSums>& sums, GapKey* key) {
  for (std::string* line : {&key->lines.below, &key->lines.before, &key->lines.next}) {
    if (sums.size() < kMostSums || sums.contains(*key)) return;
    if (!line->empty()) *line = kOtherLines;
    key->lines.statement = "";
  }
}

std::string TextAt(const std::vector<std::string>& texts, size_t at) {
  return at < texts.size() ? texts[at] : std::string();
}

std::string NameOf(const OpLabel& label, NameFolder* names) {
  return names->Folded(label.kernel.empty() ? OperationName(label) : DemangledName(label.kernel));
}

// Of a part of a gap, without its place.
GapKey KeyOf(const Findings& found, size_t at, GapCause cause, const MainWays& ways,
             NameFolder* names) {
  const Gap& gap = found.gaps[at];
  GapKey key;
  key.cause = cause;
  if (cause == GapCause::kHostWaited && gap.wait != kNoWait)
    key.call = CallOf(found, found.waits[gap.wait]);
  if (cause == GapCause::kOtherDevice && gap.awaited != kNoOp)
    key.call = NameOf(found.op_labels[found.ops[gap.awaited].label], names);
  if (cause == GapCause::kHostFunction && gap.function != kNoFunction) {
    key.call = TextAt(found.call_names, found.host_functions[gap.function].name);
    key.lines.next = TextAt(found.function_where, gap.function);
  }
  if (cause == GapCause::kHostBusy) key.lines = ways.Of(at);
  return key;
}

std::string StatementOf(const Findings& found, const std::string& where) {
  const auto known = found.statements.find(where);
  return known == found.statements.end() ? "" : known->second;
}

void AddWait(const Wait& wait, WaitSums* sums) {
  const uint64_t blocked = wait.end_ns - wait.begin_ns;
  sums->blocked.Add(blocked);
  if (wait.gpu_idle_after_ns != kNothingFollows) sums->idle_after_ns += wait.gpu_idle_after_ns;
  if (wait.lost || wait.open) {
    ++sums->unknown;
  } else if (wait.already_done) {
    ++sums->needless;
    sums->needless_ns += blocked;
  }
}

// What ends a gap is done in the step for which it is.
uint64_t EndedAt(const Gap& gap) { return gap.submitted_ns == 0 ? gap.end_ns : gap.submitted_ns; }

}  // namespace

void SumWaits(const ProgramRun& run, const SourceRun& source, const TimeLimits& limits,
              const std::vector<SteadySteps>& kinds, NameFolder* names, RunFindings* findings) {
  const Findings& found = source.findings;
  const std::string program = ProgramName(run.facts);
  std::vector<LongWait> longest;
  for (size_t i = 0; i < found.waits.size(); ++i) {
    const Wait& wait = found.waits[i];
    if (!limits.Hold(wait.begin_ns, wait.end_ns)) continue;
    WaitKey key{source.facts.name,           wait.wait_class,
                CallOf(found, wait),         RangesOf(found.wait_ranges, i, names),
                TextAt(found.wait_where, i), program};
    CoarsenLine(findings->waits, &key);
    WaitSums* const sums = SumsOf(&findings->waits, &key);
    AddWait(wait, sums);
    const uint64_t blocked = wait.end_ns - wait.begin_ns;
    for (const SteadySteps& steps : kinds) {
      if (steps.Has(wait.tid, wait.begin_ns))
        sums->blocked.in_steps[steps.name()].Add({1, blocked});
    }
    if (sums->statement.empty()) sums->statement = StatementOf(found, key.where);
    longest.push_back({blocked, "", wait.begin_ns, run.outer_pid, wait.tid, std::move(key)});
    if (longest.size() >= 2 * kLongestWaits) findings->AddLongWaits(std::exchange(longest, {}));
  }
  findings->AddLongWaits(std::move(longest));
  const MainWays ways(found);
  for (size_t i = 0; i < found.gaps.size(); ++i) {
    const Gap& gap = found.gaps[i];
    if (!limits.Hold(gap.begin_ns, gap.end_ns)) continue;
    for (size_t cause = 0; cause < kGapCauses; ++cause) {
      if (gap.parts_ns[cause] == 0) continue;
      GapKey key = KeyOf(found, i, static_cast<GapCause>(cause), ways, names);
      key.source = source.facts.name;
      key.program = program;
      key.ranges = RangesOf(found.gap_ranges, i, names);
      CoarsenLines(findings->gaps, &key);
      DurationSums* const sums = SumsOf(&findings->gaps, &key);
      sums->Add(gap.parts_ns[cause]);
      for (const SteadySteps& steps : kinds) {
        if (steps.Has(gap.tid, EndedAt(gap)))
          sums->in_steps[steps.name()].Add({1, gap.parts_ns[cause]});
      }
    }
  }
}

}  // namespace syncline
