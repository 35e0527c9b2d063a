// SPDX-License-Identifier: Apache-2.0
// What each device did, and each rank.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/reached_rates.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewDevices = 4, kFewRanks = 4;

constexpr Column kDevices[] = {
    {"", "device", ValueKind::kCode, kShort},
    {"rank", "rank", ValueKind::kText, kNotShort | kPageToo},
    {"", "device", ValueKind::kText, kPage | kPageToo},
    {"", "busy", ValueKind::kShare, kShort | kPage, "Anything ran"},
    {"", "compute", ValueKind::kShare, kShort | kPage, "Kernels that do not communicate ran"},
    {"", "comm.", ValueKind::kShare, kShort | kPage, "Kernels that communicate ran"},
    {"", "comm. alone", ValueKind::kShare, kPage, "Only kernels that communicate ran"},
    {"", "copies", ValueKind::kShare, kShort | kPage, "Copies ran, whatever else did"},
    {"memory_peak_bytes", "memory", ValueKind::kBytes, kEverywhere,
     "Its peak, as the program asked for it"},
    {"idle_ms", "idle", ValueKind::kDuration, kEverywhere},
    {"gaps_ms.host waited", "host waited", ValueKind::kDuration, kPageToo | kFile,
     "Idle: the thread that submitted next had waited"},
    {"gaps_ms.host busy", "host busy", ValueKind::kDuration, kPageToo | kFile,
     "Idle: the host did something else"},
    {"gaps_ms.first use", "first use", ValueKind::kDuration, kPageToo | kFile,
     "Idle: the host loaded code for the device"},
    {"gaps_ms.another GPU", "other GPU", ValueKind::kDuration, kPageToo | kFile,
     "Idle: the next work waited for another device"},
    {"gaps_ms.host function", "function", ValueKind::kDuration, kPageToo | kFile,
     "Idle: a function of the host ran in the stream of the next work"},
    {"gaps_ms.launch latency", "latency", ValueKind::kDuration, kPageToo | kFile,
     "Idle: the work was submitted and began late"},
    {"gaps_ms.copy", "copying", ValueKind::kDuration, kPageToo | kFile, "Idle, but for copies"},
    {"gaps_ms.nothing left", "at end", ValueKind::kDuration, kPageToo | kFile,
     "Idle: nothing followed"},
    {"launch_delay.median_ms", "launch", ValueKind::kDuration, kPageToo | kFile,
     "Median delay, from the call to its first operation"},
    {"pid", "", ValueKind::kPlain, kFile},
    {"processes", "", ValueKind::kPlain, kFile},
    {"source", "", ValueKind::kText, kFile},
    {"device", "", ValueKind::kPlain, kFile},
    {"uuid", "", ValueKind::kText, kFile},
    {"name", "", ValueKind::kText, kFile},
    {"begin_ns", "", ValueKind::kPlain, kFile},
    {"end_ns", "", ValueKind::kPlain, kFile},
    {"operations", "", ValueKind::kCount, kFile},
    {"records_lost", "", ValueKind::kCount, kFile},
    {"seen_ms", "", ValueKind::kDuration, kFile},
    {"busy_ms", "", ValueKind::kDuration, kFile},
    {"others_ms", "", ValueKind::kDuration, kFile},
    {"computing_ms", "", ValueKind::kDuration, kFile},
    {"beside_ms", "", ValueKind::kDuration, kFile},
    {"communicating_ms", "", ValueKind::kDuration, kFile},
    {"communicating_alone_ms", "", ValueKind::kDuration, kFile},
    {"copying_ms", "", ValueKind::kDuration, kFile},
    {"copying_alone_ms", "", ValueKind::kDuration, kFile},
    {"launch_delay.count", "", ValueKind::kCount, kFile},
    {"launch_delay.total_ms", "", ValueKind::kDuration, kFile},
    {"launch_delay.min_ms", "", ValueKind::kDuration, kFile},
    {"launch_delay.p95_ms", "", ValueKind::kDuration, kFile},
    {"launch_delay.p99_ms", "", ValueKind::kDuration, kFile},
    {"launch_delay.max_ms", "", ValueKind::kDuration, kFile},
    {"queued_ms", "", ValueKind::kDuration, kFile},
    {"memory_peak_at_ns", "", ValueKind::kPlain, kFile}};

std::vector<Value> CellsOf(const ReportDevice& device) {
  const DeviceUse& use = device.use;
  const DurationSums& delay = use.launch_delay;
  const bool known = !device.lost.Matters();
  const auto time = [known](uint64_t ns) { return IfKnown(ns, known); };
  const bool idle_known = known && device.idle_known;
  const auto share = [&](uint64_t ns) {
    return known ? ShareOf(ns, use.SeenNs()) : Value(Unknown{});
  };
  const auto gap = [&](GapCause cause) {
    return IfKnown(use.gaps_ns[static_cast<size_t>(cause)], idle_known);
  };
  return {DeviceName(device),
          device.rank,
          Text(use.device, Apart(device), ": ", use.name),
          share(use.busy_ns),
          share(use.computing_ns),
          share(use.communicating_ns),
          share(use.communicating_alone_ns),
          share(use.copying_ns),
          use.memory_peak_bytes,
          IfKnown(use.IdleNs(), idle_known),
          gap(GapCause::kHostWaited),
          gap(GapCause::kHostBusy),
          gap(GapCause::kFirstUse),
          gap(GapCause::kOtherDevice),
          gap(GapCause::kHostFunction),
          gap(GapCause::kLaunchLatency),
          gap(GapCause::kCopy),
          gap(GapCause::kNothingLeft),
          Quantile(delay, 0.5),
          int64_t{use.pid},
          use.processes,
          use.source,
          uint64_t{use.device},
          use.uuid,
          use.name,
          use.begin_ns,
          use.end_ns,
          use.operations,
          device.lost.lost,
          use.SeenNs(),
          time(use.busy_ns),
          IfKnown(use.others_ns, idle_known),
          time(use.computing_ns),
          time(use.beside_ns),
          time(use.communicating_ns),
          time(use.communicating_alone_ns),
          time(use.copying_ns),
          time(use.copying_alone_ns),
          delay.count,
          delay.total_ns,
          delay.count == 0 ? 0 : delay.min_ns,
          Quantile(delay, 0.95),
          Quantile(delay, 0.99),
          delay.max_ns,
          use.queued_ns,
          use.memory_peak_at_ns};
}

constexpr Column kTemporal[] = {{"rank", "", ValueKind::kText, kFile},
                                {"pid", "", ValueKind::kPlain, kFile},
                                {"source", "", ValueKind::kText, kFile},
                                {"device", "", ValueKind::kPlain, kFile},
                                {"name", "", ValueKind::kText, kFile},
                                {"records_lost", "", ValueKind::kCount, kFile},
                                {"total_ms", "", ValueKind::kDuration, kFile},
                                {"idle_ms", "", ValueKind::kDuration, kFile},
                                {"compute_ms", "", ValueKind::kDuration, kFile},
                                {"non_compute_ms", "", ValueKind::kDuration, kFile},
                                {"idle_percent", "", ValueKind::kShare, kFile},
                                {"compute_percent", "", ValueKind::kShare, kFile},
                                {"non_compute_percent", "", ValueKind::kShare, kFile}};

constexpr Column kLosses[] = {{"", "lost", ValueKind::kText, kPage},
                              {"", "records", ValueKind::kCount, kPage}};

constexpr Column kRanks[] = {
    {"", "rank", ValueKind::kCode, kShort},
    {"name", "rank", ValueKind::kText, kNotShort},
    {"host", "host", ValueKind::kText, kNotShort},
    {"computing_ms", "compute", ValueKind::kDuration, kEverywhere, "Of its devices"},
    {"", "busy", ValueKind::kShare, kShort | kPage, "Of its devices"},
    {"", "last", ValueKind::kText, kShort | kPage, "To how many of its collectives it came last"},
    {"others_paid_ms", "paid", ValueKind::kDuration, kEverywhere,
     "What the others waited for it in collectives"},
    {"waited_ms", "waited", ValueKind::kDuration, kEverywhere, "For others in collectives"},
    {"", "bubble", ValueKind::kShare, kShort | kPage,
     "Of the time that its devices were seen: it waited for others in sends and receives"},
    {"late_stage", "late in", ValueKind::kCode, kEverywhere,
     "The stage in which it came last most often"},
    {"flops", "FLOP", ValueKind::kFlops, kNotShort,
     "Matrix products, convolutions and attention on its devices"},
    {"tflops_per_s", "FLOP/s", ValueKind::kFlopRate, kNotShort,
     "In the time that its devices were seen"},
    {"mfu_percent", "MFU", ValueKind::kPeakShare, kNotShort,
     "Of what the datasheets of its devices promise in that time"},
    {"", "length", ValueKind::kDuration, kShort | kPage},
    {"rank", "", ValueKind::kPlain, kFile},
    {"begin_ns", "", ValueKind::kPlain, kFile},
    {"end_ns", "", ValueKind::kPlain, kFile},
    {"records_lost", "", ValueKind::kCount, kFile},
    {"busy_ms", "", ValueKind::kDuration, kFile},
    {"seen_ms", "", ValueKind::kDuration, kFile},
    {"met", "", ValueKind::kCount, kFile},
    {"came_last", "", ValueKind::kCount, kFile},
    {"bubble_ms", "", ValueKind::kDuration, kFile}};

std::vector<Value> CellsOf(const Report& report, const ReportRank& rank) {
  const bool known = !rank.lost.Matters();
  const double flops = SumOf(rank.flops);
  size_t devices = 0;
  const DevicePeaks* const peaks = PeaksOf(report, rank.name, 0, &devices);
  return {RankName(rank),
          rank.name,
          rank.host,
          IfKnown(rank.computing_ns, known),
          known ? ShareOf(rank.busy_ns, rank.seen_ns) : Value(Unknown{}),
          rank.met == 0 ? Value(Nothing{})
                        : Worded{Text(CountText(rank.came_last), "/", CountText(rank.met)),
                                 static_cast<double>(rank.came_last)},
          rank.others_paid_ns,
          rank.waited_ns,
          rank.bubble_ns == 0 ? Value(Nothing{}) : ShareOf(rank.bubble_ns, rank.seen_ns),
          rank.late_stage,
          flops == 0 ? Value(Nothing{}) : Value(flops),
          IfNoneLost(!known, RateOf(flops, rank.seen_ns)),
          IfNoneLost(!known, ShareOfPeak(peaks, rank.flops, rank.seen_ns)),
          std::max(rank.end_ns, rank.begin_ns) - rank.begin_ns,
          int64_t{rank.rank},
          rank.begin_ns,
          rank.end_ns,
          rank.lost.lost,
          IfKnown(rank.busy_ns, known),
          rank.seen_ns,
          rank.met,
          rank.came_last,
          rank.bubble_ns};
}

}  // namespace

Section DevicesSection(const Report& report, const RowChoice& choice) {
  Section section{"devices", "Devices", kDevices, {}};
  FillRows(
      report.devices, Wished(report, choice), kFewDevices,
      [](const ReportDevice& device) { return device.use.IdleNs(); },
      [](const ReportDevice& device) { return CellsOf(device); }, &section);
  return section;
}

Section TemporalSection(const Report& report) {
  Section section{"temporal", "", kTemporal, {}};
  for (const ReportDevice& device : report.devices) {
    const DeviceUse& use = device.use;
    const bool known = !device.lost.Matters();
    const uint64_t whole = std::max(use.end_ns, use.begin_ns) - use.begin_ns;
    const uint64_t busy = std::min(use.busy_ns, whole);
    const uint64_t compute = std::min(use.kernels_ns, busy);
    const auto share = [&](uint64_t ns) { return known ? ShareOf(ns, whole) : Value(Unknown{}); };
    section.rows.push_back({device.rank, int64_t{use.pid}, use.source, uint64_t{use.device},
                            use.name, device.lost.lost, whole, IfKnown(whole - busy, known),
                            IfKnown(compute, known), IfKnown(busy - compute, known),
                            share(whole - busy), share(compute), share(busy - compute)});
  }
  return section;
}

Section LossesSection(const Report& report, const RowChoice& choice) {
  Section section{"losses", "Losses", kLosses, {}};
  std::vector<std::pair<std::string, uint64_t>> losses;
  for (const auto& [name, count] : report.losses) {
    if (count != 0) losses.emplace_back(name, count);
  }
  FillRows(
      losses, choice, losses.size(), [](const auto& loss) { return loss.second; },
      [](const auto& loss) {
        return std::vector<Value>{loss.first, loss.second};
      },
      &section);
  return section;
}

Section RanksSection(const Report& report, const RowChoice& choice) {
  Section section{"ranks", "Ranks", kRanks, {}};
  // A launcher that uses no device is in no table of ranks.
  std::vector<ReportRank> ranks = report.ranks;
  if (!ranks.empty() && ranks[0].rank >= 0)
    std::erase_if(ranks, [](const ReportRank& rank) {
      return rank.rank < 0 && rank.seen_ns == 0 && !rank.name.starts_with("rank-");
    });
  FillRows(
      ranks, Wished(report, choice), kFewRanks,
      [](const ReportRank& rank) { return std::make_pair(rank.others_paid_ns, rank.computing_ns); },
      [&](const ReportRank& rank) { return CellsOf(report, rank); }, &section);
  const bool met = std::any_of(report.ranks.begin(), report.ranks.end(),
                               [](const ReportRank& rank) { return rank.met != 0; });
  if (report.imbalance)
    section.note = Text("imbalance ", report.lost_matters ? "?" : ShareText(*report.imbalance));
  if (met)
    section.note += Text(section.note.empty() ? "" : "; ",
                         "paid: what the others waited for the rank in collectives");
  return section;
}

}  // namespace syncline
