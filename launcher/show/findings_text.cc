// SPDX-License-Identifier: Apache-2.0
// One table a kind of finding, costliest first.
#include "launcher/show/findings_text.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "launcher/host/shell_text.h"
#include "launcher/show/one_finding.h"
#include "launcher/show/table.h"
#include "model/findings/findings.h"

namespace syncline {
namespace {

std::string PercentText(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f %%",
                100 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

// Entries of a map, the one with the largest `cost` first.
template <typename Map, typename Cost>
auto ByCost(const Map& map, const Cost& cost) {
  std::vector<const typename Map::value_type*> entries;
  for (const auto& entry : map) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto* a, const auto* b) { return cost(a->second) > cost(b->second); });
  return entries;
}

std::vector<std::string> SumCells(const DurationSums& sums) {
  return {CountText(sums.count), DurationText(sums.total_ns), DurationText(sums.Quantile(0.5)),
          DurationText(sums.Quantile(0.95)), DurationText(sums.max_ns)};
}
const std::vector<std::string> kSumHeads = {"count", "total", "half below", "95 % below",
                                            "longest"};

std::vector<std::string> With(std::vector<std::string> cells, std::string last) {
  cells.push_back(std::move(last));
  return cells;
}

// Names of C++ templates are pages long.
std::string Short(const std::string& name) {
  constexpr size_t kMost = 100;
  if (name.size() <= kMost) return PrintableText(name);
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // of UTF-8
  return PrintableText(name.substr(0, end)) + "...";
}

std::string Named(const std::string& name, const std::string& domain) {
  return domain.empty() ? Short(name) : Text(Short(name), " (", domain, ")");
}

std::string Waits(const RunFindings& findings, size_t most) {
  Table table("Waits of the host for GPUs", {"count", "blocked", "longest", "GPU idle after",
                                             "needless", "call (class): ranges"});
  for (const auto* entry :
       ByCost(findings.waits, [](const WaitSums& sums) { return sums.blocked.total_ns; })) {
    const auto& [key, sums] = *entry;
    table.Add({CountText(sums.blocked.count), DurationText(sums.blocked.total_ns),
               DurationText(sums.blocked.max_ns), DurationText(sums.idle_after_ns),
               CountText(sums.needless),
               Text(Short(key.call), " (", WaitClassName(key.wait_class), ")",
                    key.ranges.empty() ? "" : ": ", Short(key.ranges))});
  }
  return table.Print(most);
}

std::string Lines(const RunFindings& findings, size_t most) {
  Table table("Lines of the program that waited for GPUs",
              {"count", "blocked", "longest", "GPU idle after", "line: call (class)"});
  std::map<std::tuple<std::string, std::string, WaitClass>, WaitSums> lines;
  for (const auto& [what, sums] : findings.waits) {
    if (!what.where.empty()) lines[{what.where, what.call, what.wait_class}].Add(sums);
  }
  for (const auto* entry :
       ByCost(lines, [](const WaitSums& sums) { return sums.blocked.total_ns; })) {
    const auto& [where, call, wait_class] = entry->first;
    const WaitSums& sums = entry->second;
    table.Add({CountText(sums.blocked.count), DurationText(sums.blocked.total_ns),
               DurationText(sums.blocked.max_ns), DurationText(sums.idle_after_ns),
               Text(Short(where), ": ", Short(call), " (", WaitClassName(wait_class), ")")});
  }
  return table.Print(most);
}

std::string Gaps(const RunFindings& findings, size_t most) {
  Table table("Gaps in which a GPU computed nothing", With(kSumHeads, "cause: ranges"));
  std::map<std::tuple<GapCause, std::string, std::string>, DurationSums> gaps;
  for (const auto& [key, sums] : findings.gaps) gaps[{key.cause, key.call, key.ranges}].Add(sums);
  for (const auto* entry : ByCost(gaps, [](const DurationSums& sums) { return sums.total_ns; })) {
    const auto& [cause, call, ranges] = entry->first;
    table.Add(With(SumCells(entry->second), Text(GapCauseName(cause), call.empty() ? "" : " in ",
                                                 call, ranges.empty() ? "" : ": ", Short(ranges))));
  }
  return table.Print(most);
}

std::string BusyLines(const RunFindings& findings, size_t most) {
  Table table("Where the host was busy while a GPU computed nothing", With(kSumHeads, "lines"));
  std::map<std::pair<std::string, std::string>, DurationSums> lines;
  for (const auto& [key, sums] : findings.gaps) {
    const bool loop = key.before == key.next;
    if (!key.before.empty() || !key.next.empty())
      lines[{loop ? "" : key.before, key.next}].Add(sums);
  }
  for (const auto* entry : ByCost(lines, [](const DurationSums& sums) { return sums.total_ns; })) {
    const auto& [before, next] = entry->first;
    table.Add(With(SumCells(entry->second),
                   next == kOtherLines ? kOtherLines : LinesText(Short(before), Short(next))));
  }
  return table.Print(most);
}

std::string Ranges(const RunFindings& findings, size_t most) {
  Table table("Ranges", With(kSumHeads, "name"));
  for (const auto* entry :
       ByCost(findings.ranges, [](const DurationSums& sums) { return sums.total_ns; }))
    table.Add(With(SumCells(entry->second), Named(entry->first.name, entry->first.domain)));
  return table.Print(most);
}

std::string Kernels(const RunFindings& findings, size_t most) {
  Table table("Kernels", With(kSumHeads, "name"));
  for (const auto* entry :
       ByCost(findings.kernels, [](const DurationSums& sums) { return sums.total_ns; }))
    table.Add(With(SumCells(entry->second), Short(entry->first.name)));
  return table.Print(most);
}

std::string Copies(const RunFindings& findings, size_t most) {
  Table table("Copies", {"count", "total", "bytes", "per second", "what"});
  for (const auto* entry :
       ByCost(findings.copies, [](const CopySums& sums) { return sums.durations.total_ns; })) {
    const auto& [key, sums] = *entry;
    const double seconds = static_cast<double>(sums.durations.total_ns) / 1e9;
    const double rate = seconds == 0 ? 0 : static_cast<double>(sums.bytes) / seconds;
    table.Add({CountText(sums.durations.count), DurationText(sums.durations.total_ns),
               SizeText(sums.bytes), SizeText(static_cast<uint64_t>(rate)), Short(key.name)});
  }
  return table.Print(most);
}

std::string Devices(const RunFindings& findings, size_t most) {
  Table table("Devices", {"rank", "from first to last", "busy", "computing", "communicating",
                          "alone", "copying", "alone", "memory taken", "device"});
  for (const auto& [name, part] : findings.ranks) {
    for (const DeviceUse& use : part.devices) {
      const uint64_t whole = use.SeenNs();
      table.Add({name, DurationText(whole), PercentText(use.busy_ns, whole),
                 PercentText(use.computing_ns, whole), PercentText(use.communicating_ns, whole),
                 PercentText(use.communicating_alone_ns, whole), PercentText(use.copying_ns, whole),
                 PercentText(use.copying_alone_ns, whole), SizeText(use.memory_peak_bytes),
                 Text(use.device, " ", use.name)});
    }
  }
  return table.Print(most);
}

std::string Steps(const RunFindings& findings, size_t most) {
  Table table("Steps", {"rank", "count", "half below", "95 % below", "longest", "name"});
  for (const auto& [name, part] : findings.ranks) {
    for (const StepSeries& series : part.steps) {
      DurationSums sums;
      for (const Step& step : series.steps) sums.Add(step.duration_ns);
      table.Add({name, CountText(sums.count), DurationText(sums.Quantile(0.5)),
                 DurationText(sums.Quantile(0.95)), DurationText(sums.max_ns), series.name});
    }
  }
  return table.Print(most);
}

std::string Collectives(const RankMeetings& meetings, size_t most) {
  Table table("Collectives", {"met", "came last", "waited for others", "rank"});
  LeftOutCounts left_out{};
  for (const auto& [rank, facts] : meetings.ranks) {
    uint64_t waited = 0;
    for (const auto& [last, ns] : facts.waited_for_ns) waited += ns;
    if (facts.met != 0)
      table.Add({CountText(facts.met), CountText(facts.came_last), DurationText(waited),
                 std::to_string(rank)});
  }
  for (const auto& [rank, counts] : meetings.left_out) {
    for (size_t why = 0; why < kLeftOutReasons; ++why) left_out[why] += counts[why];
  }
  std::string text = table.Print(most);
  if (meetings.clock_error_ns != 0) {
    text += Text("  clocks of several machines, up to ", DurationText(meetings.clock_offset_ns),
                 " apart, compared by the collectives to within ",
                 DurationText(meetings.clock_error_ns), "\n");
  }
  for (size_t why = 0; why < kLeftOutReasons; ++why) {
    if (left_out[why] == 0) continue;
    text += Text(text.empty() ? "\nCollectives\n" : "", "  nothing is said of ",
                 CountText(left_out[why]), left_out[why] == 1 ? " kernel: " : " kernels: ",
                 LeftOutMeaning(static_cast<LeftOut>(why)), "\n");
  }
  return text;
}

std::string Head(const std::string& directory, const RunFindings& findings,
                 const RankMeetings& meetings) {
  uint64_t events = 0, lost = 0, ranks = 0, unfinished = 0;
  std::set<std::string> hosts, missing;
  for (const auto& [name, part] : findings.ranks) {
    ranks += part.rank >= 0;
    unfinished += !part.complete;
    events += part.ranges + part.marks + part.calls + part.device_ops;
    hosts.insert(part.host);
    for (const auto& [kind, count] : part.losses) lost += count;
    missing.insert(part.missing.begin(), part.missing.end());
  }
  const auto plural = [](uint64_t count, const char* word) {
    return Text(CountText(count), " ", word, count == 1 ? "" : "s");
  };
  std::string text =
      Text(directory, ": ", plural(ranks, "rank"), " on ", plural(hosts.size(), "host"), ", ",
           DurationText(RunLengthNs(findings)), ", ", plural(events, "event"),
           lost == 0 ? "" : Text(", ", CountText(lost), " lost"), "\n");
  if (unfinished != 0)
    text += Text("of ", plural(unfinished, "rank"), " only a part: no trace was written\n");
  for (const std::string& what : missing)
    text += Text("not looked for: ", PrintableText(what), "\n");
  const std::string finding = OneFinding(findings, meetings);
  return text +
         (finding.empty() ? "nothing found that costs a hundredth of the run"
                          : "costliest: " + finding) +
         "\n";
}

}  // namespace

std::string FindingsTables(const std::string& directory, const RunFindings& findings,
                           const RankMeetings& meetings, size_t most) {
  return Head(directory, findings, meetings) + Lines(findings, most) + Waits(findings, most) +
         Gaps(findings, most) + BusyLines(findings, most) + Collectives(meetings, most) +
         Devices(findings, most) + Steps(findings, most) + Ranges(findings, most) +
         Kernels(findings, most) + Copies(findings, most);
}

}  // namespace syncline
