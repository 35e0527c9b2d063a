// SPDX-License-Identifier: Apache-2.0
// Each rank's devices, and how it met the others.
#include "report/report_ranks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "report/late_stage.h"

namespace syncline {
namespace {

constexpr size_t kMostLateStages = 8;

ReportRank RankOf(const std::string& name, const RankPart& part) {
  ReportRank rank;
  rank.name = name;
  rank.host = part.host;
  rank.rank = part.rank;
  rank.begin_ns = part.begin_ns;
  rank.end_ns = part.end_ns;
  rank.shares = part.shares;
  rank.flops = part.flops;
  for (const DeviceUse& use : part.devices) {
    rank.computing_ns += use.computing_ns;
    rank.busy_ns += use.busy_ns;
    rank.seen_ns += use.SeenNs();
  }
  return rank;
}

// Only traces of whole ranks have taken part: "rank-3", not "rank-3-late-1".
void AddMeetings(const RankMeetings& meetings, const RunFindings& findings, Report* report) {
  std::map<int, uint64_t> others_paid;
  for (const auto& [number, facts] : meetings.ranks) {
    for (const auto& [last, ns] : facts.waited_for_ns) others_paid[last] += ns;
  }
  // Only those that cost the others most are looked at.
  std::vector<uint64_t> paid;
  for (const auto& [rank, ns] : others_paid) paid.push_back(ns);
  StableSort(&paid, std::greater<>());
  const uint64_t least_paid = paid.empty() ? 0 : paid[std::min(paid.size(), kMostLateStages) - 1];
  for (ReportRank& rank : report->ranks) {
    const auto facts = meetings.ranks.find(rank.rank);
    if (rank.name != "rank-" + std::to_string(rank.rank)) continue;
    const auto bubble = meetings.bubbles_ns.find(rank.rank);
    if (bubble != meetings.bubbles_ns.end()) rank.bubble_ns = bubble->second;
    if (facts == meetings.ranks.end()) continue;
    rank.computing_ns -= std::min(rank.computing_ns, facts->second.waited_in_graphs_ns);
    rank.met = facts->second.met;
    rank.came_last = facts->second.came_last;
    for (const auto& [last, ns] : facts->second.waited_for_ns) rank.waited_ns += ns;
    rank.others_paid_ns = others_paid[rank.rank];
    if (rank.others_paid_ns != 0 && rank.others_paid_ns >= least_paid)
      rank.late_stage = LateStageOf(findings, rank.name, rank.others_paid_ns).name;
  }
}

std::optional<double> Imbalance(const std::vector<ReportRank>& ranks) {
  uint64_t most = 0, sum = 0, count = 0;
  for (const ReportRank& rank : ranks) {
    if (rank.rank < 0 || rank.seen_ns == 0) continue;
    most = std::max(most, rank.computing_ns);
    sum += rank.computing_ns;
    ++count;
  }
  if (count < 2 || sum == 0) return std::nullopt;
  return static_cast<double>(most) * static_cast<double>(count) / static_cast<double>(sum) - 1;
}

// From the first begin to the last end of those that are whole, else of all.
void AddSpan(const RunFindings& findings, Report* report) {
  for (const bool whole : {true, false}) {
    uint64_t begin = UINT64_MAX, end = 0;
    for (const auto& [name, part] : findings.ranks) {
      if ((whole && !part.complete) || part.end_ns <= part.begin_ns) continue;
      begin = std::min(begin, part.begin_ns);
      end = std::max(end, part.end_ns);
    }
    if (end <= begin) continue;
    report->begin_ns = begin;
    report->length_ns = end - begin;
    return;
  }
}

}  // namespace

void AddRanks(const RunFindings& findings, const RankMeetings& meetings, Report* report) {
  std::set<std::string> hosts;
  for (const auto& [name, part] : findings.ranks) {
    report->ranks.push_back(RankOf(name, part));
    report->events += part.ranges + part.marks + part.calls + part.device_ops;
    hosts.insert(part.host);
  }
  report->hosts = hosts.size();
  StableSort(&report->ranks, [](const ReportRank& a, const ReportRank& b) {
    return std::make_tuple(a.rank < 0, a.rank, std::cref(a.name)) <
           std::make_tuple(b.rank < 0, b.rank, std::cref(b.name));
  });
  AddMeetings(meetings, findings, report);
  report->imbalance = Imbalance(report->ranks);
  AddSpan(findings, report);
}

}  // namespace syncline
