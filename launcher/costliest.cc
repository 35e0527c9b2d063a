// SPDX-License-Identifier: Apache-2.0
// Candidates are compared by what they cost each rank.
#include "launcher/costliest.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "launcher/one_finding.h"
#include "model/text.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastShare = 100;  // of the run

struct Candidate {
  uint64_t total_ns = 0;
  std::string text;
};

std::string Within(const std::string& range) {
  return range.empty() ? "" : Text(" within `", PrintableText(range), "`");
}

std::string Times(uint64_t count) {
  return count == 1 ? " (once)" : Text(" (", CountText(count), " times)");
}

uint64_t RankCount(const RunFindings& findings) {
  uint64_t ranks = 0;
  for (const auto& [name, part] : findings.ranks) ranks += part.rank >= 0;
  return std::max<uint64_t>(ranks, 1);
}

struct Cost {
  uint64_t total_ns = 0;
  uint64_t count = 0;
};

template <typename Costs>
auto Costliest(const Costs& costs) {
  return std::max_element(costs.begin(), costs.end(), [](const auto& a, const auto& b) {
    return a.second.total_ns < b.second.total_ns;
  });
}

std::string Waited(const RunFindings& findings, const Cost& cost) {
  const uint64_t ranks = RankCount(findings);
  return Text(ranks == 1 ? "waited " : Text(CountText(ranks), " ranks together waited "),
              DurationText(cost.total_ns), " for the GPU ");
}

std::string CallText(const std::string& call) {
  return call.empty() ? "a call" : PrintableText(call);
}

// Of calls whose line is not known.
Candidate OfWaits(const RunFindings& findings) {
  std::map<std::tuple<WaitClass, std::string, std::string>, Cost> costs;
  for (const auto& [key, sums] : findings.waits) {
    if (!key.where.empty()) continue;
    Cost& cost = costs[{key.wait_class, key.call, InnermostRange(key.ranges)}];
    cost.total_ns += sums.blocked.total_ns;
    cost.count += sums.blocked.count;
  }
  const auto most = Costliest(costs);
  if (most == costs.end()) return {};
  const auto& [wait_class, call, range] = most->first;
  const Cost& cost = most->second;
  return {cost.total_ns,
          Text(Waited(findings, cost), "in ", CallText(call), Within(range), Times(cost.count))};
}

// All that one line waited, in whatever calls.
Candidate OfLines(const RunFindings& findings) {
  std::map<std::string, Cost> lines;
  std::map<std::pair<std::string, std::string>, Cost> calls;
  for (const auto& [key, sums] : findings.waits) {
    if (key.where.empty() || key.where == kOtherLines) continue;
    lines[key.where].total_ns += sums.blocked.total_ns;
    lines[key.where].count += sums.blocked.count;
    calls[{key.where, key.call}].total_ns += sums.blocked.total_ns;
  }
  const auto most = Costliest(lines);
  if (most == lines.end()) return {};
  std::erase_if(calls, [&](const auto& call) { return call.first.first != most->first; });
  const Cost& cost = most->second;
  return {cost.total_ns, Text(Waited(findings, cost), "at ", PrintableText(most->first), " (",
                              cost.count == 1 ? "once" : Text(CountText(cost.count), " times"),
                              ", ", calls.size() > 1 ? "mostly in " : "in ",
                              CallText(Costliest(calls)->first.second), ")")};
}

// The ranks that waited for the late one within their collectives may have waited for these
// collectives at a line: the same time, of which the late rank is the reason.
Candidate Beside(Candidate waits, const Candidate& late) {
  waits.total_ns -= std::min(waits.total_ns, late.total_ns);
  return waits;
}

const char* Because(GapCause cause) {
  switch (cause) {
    case GapCause::kLaunchLatency:
      return "because work that was submitted began late";
    case GapCause::kCopy:
      return "because copies ran and nothing beside them";
    default:
      return "because the host did something else before it submitted the next work";
  }
}

// The name that stands for more than half of the whole; empty: none does.
template <typename Costs>
std::string Most(const Costs& costs, const Cost& whole) {
  const auto most = Costliest(costs);
  if (most == costs.end() || 2 * most->second.total_ns <= whole.total_ns) return "";
  return most->first;
}

Candidate OfGaps(const RunFindings& findings) {
  std::map<GapCause, Cost> costs;
  std::map<GapCause, std::map<std::string, Cost>> ranges, lines;
  for (const auto& [key, sums] : findings.gaps) {
    if (key.cause == GapCause::kHostWaited || key.cause == GapCause::kNothingLeft) continue;
    costs[key.cause].total_ns += sums.total_ns;
    costs[key.cause].count += sums.count;
    ranges[key.cause][InnermostRange(key.ranges)].total_ns += sums.total_ns;
    lines[key.cause][LinesText(PrintableText(key.before), PrintableText(key.next))].total_ns +=
        sums.total_ns;
  }
  const auto most = Costliest(costs);
  if (most == costs.end()) return {};
  const auto& [cause, cost] = *most;
  const std::string line = Most(lines[cause], cost);
  std::string where = line.empty() ? "" : " " + line;
  where += Within(Most(ranges[cause], cost));
  const auto& [costliest, its] = *Costliest(lines[cause]);
  const bool one = RankCount(findings) == 1;
  return {cost.total_ns,
          Text(one ? "the GPU computed nothing for " : "the GPUs computed nothing for ",
               DurationText(cost.total_ns), one ? " " : " in all ", Because(cause),
               !where.empty()       ? Text(", mostly", where)
               : !costliest.empty() ? Text(", ", DurationText(its.total_ns), " of it ", costliest)
                                    : "",
               Times(cost.count))};
}

}  // namespace

std::string CostliestText(const RunFindings& findings, const RankMeetings& meetings) {
  Candidate late;
  late.text = LateRankText(meetings, &late.total_ns);
  const Candidate lines = Beside(OfLines(findings), late), waits = Beside(OfWaits(findings), late);
  const Candidate candidates[] = {std::move(late), lines, waits, OfGaps(findings)};
  const Candidate* most = std::max_element(
      std::begin(candidates), std::end(candidates),
      [](const Candidate& a, const Candidate& b) { return a.total_ns < b.total_ns; });
  const uint64_t length = RunLengthNs(findings);
  const bool counts = length != 0 && most->total_ns / RankCount(findings) >=
                                         std::max<uint64_t>(length / kLeastShare, 1);
  return counts ? most->text : "";
}

}  // namespace syncline
