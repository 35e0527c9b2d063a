// SPDX-License-Identifier: Apache-2.0
// Times at the peak add up, also of numbers of several formats.
#include "report/reached_rates.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr double kNsOfSecond = 1e9;

bool Computed(const ByFormat& flops) { return SumOf(flops) > 0; }

}  // namespace

std::optional<TimeAtPeak> TimeAtPeakOf(const DevicePeaks& peaks, const ByFormat& flops) {
  constexpr double kLeastThatCounts = 0.01;
  TimeAtPeak time;
  double unknown = 0;
  for (size_t i = 0; i < kNumberFormats; ++i) {
    const PeakRange peak = PeakOf(peaks, static_cast<NumberFormat>(i));
    if (peak.low == 0) {
      unknown += flops[i];
      continue;
    }
    time.least_ns += kNsOfSecond * flops[i] / peak.high;
    time.most_ns += kNsOfSecond * flops[i] / peak.low;
  }
  if (unknown > kLeastThatCounts * SumOf(flops)) return std::nullopt;
  return time;
}

Value ValueBetween(double low, double high, ValueKind kind) {
  const std::string from = ValueText(low, kind), to = ValueText(high, kind);
  if (from == to) return low;
  const size_t unit = from.rfind(' '), other = to.rfind(' ');
  const bool same = unit != std::string::npos && other != std::string::npos &&
                    from.substr(unit) == to.substr(other);
  return Worded{Text(same ? from.substr(0, unit) : from, " to ", to), low};
}

Value IfNoneLost(bool lost, const Value& value) {
  return lost && !std::holds_alternative<Nothing>(value) ? Value(Unknown{}) : value;
}

Value RateOf(double flops, uint64_t ns) {
  if (flops == 0 || ns == 0) return Nothing{};
  return kNsOfSecond * flops / static_cast<double>(ns);
}

Value ShareOfPeak(const DevicePeaks* peaks, const ByFormat& flops, uint64_t device_ns) {
  if (peaks == nullptr || !Computed(flops) || device_ns == 0) return Nothing{};
  const std::optional<TimeAtPeak> time = TimeAtPeakOf(*peaks, flops);
  if (!time) return Unknown{};
  const auto ns = static_cast<double>(device_ns);
  return ValueBetween(time->least_ns / ns, time->most_ns / ns, ValueKind::kPeakShare);
}

Value BoundBy(const DevicePeaks* peaks, const ComputedWork& work) {
  if (peaks == nullptr || !Computed(work.flops)) return Nothing{};
  const std::optional<TimeAtPeak> computing = TimeAtPeakOf(*peaks, work.flops);
  if (!computing || !work.bytes_known || peaks->gb_per_s == 0) return Unknown{};
  const double moving_ns = work.bytes / peaks->gb_per_s;  // 10^9 bytes a second are one a ns
  if (computing->least_ns < moving_ns && moving_ns <= computing->most_ns) return Unknown{};
  return std::string(computing->most_ns < moving_ns ? "memory" : "compute");
}

const DevicePeaks* PeaksOf(const Report& report, const std::string& rank, int32_t pid,
                           size_t* count) {
  std::set<const DevicePeaks*> peaks;
  *count = 0;
  for (const ReportDevice& device : report.devices) {
    if (!rank.empty() && device.rank != rank) continue;
    if (pid != 0 && device.use.pid != pid) continue;
    if (device.use.computing_ns == 0) continue;
    ++*count;
    peaks.insert(PeaksOfDevice(device.use.source, device.use.name));
  }
  return peaks.size() == 1 ? *peaks.begin() : nullptr;
}

namespace {

// What else was computed is no operator, or none of which that is known.
std::string KnownText(const Report& report) {
  uint64_t known_ns = 0, all_ns = 0;
  for (const ReportOperator& one : report.operators) known_ns += one.sums.computed.device_ns;
  for (const ReportKernel& kernel : report.kernels) all_ns += kernel.sums.total_ns;
  if (all_ns == 0) return "";
  return Text("operators whose FLOP are known take ", ShareText(std::min(known_ns, all_ns), all_ns),
              " of the time of kernels and graphs");
}

std::string PeaksText(const Report& report) {
  size_t count = 0;
  const DevicePeaks* const peaks = PeaksOf(report, "", 0, &count);
  if (peaks != nullptr)
    return Text("peak: ", peaks->datasheet, ", dense",
                peaks->tf32 != 0 && peaks->tf32 != peaks->fp32
                    ? "; what is fp32 may be computed as tf32, then the higher peak holds"
                    : "");
  std::set<std::string> names;
  for (const ReportDevice& device : report.devices) names.insert(device.use.name);
  if (names.size() == 1)
    return Text("no datasheet of ", PrintableText(*names.begin()),
                " is known: rates are held against no peak");
  return "devices are of several kinds, or not known: rates are held against no peak";
}

}  // namespace

std::string RatesText(const Report& report) {
  if (std::none_of(report.operators.begin(), report.operators.end(),
                   [](const ReportOperator& one) { return Computed(one.sums.computed.flops); }))
    return "";
  const std::string known = KnownText(report);
  return Text(known, known.empty() ? "" : "; ", PeaksText(report));
}

std::string FlopsText(double flops) {
  constexpr const char* kUnits[] = {"FLOP",  "kFLOP", "MFLOP", "GFLOP",
                                    "TFLOP", "PFLOP", "EFLOP", "ZFLOP"};
  constexpr double kNext = 999.5;
  size_t unit = 0;
  for (; flops >= kNext && unit + 1 < std::size(kUnits); ++unit) flops /= 1000;
  char text[40];
  const int digits = unit == 0 || flops >= 99.95 ? 0 : flops >= 9.995 ? 1 : 2;
  std::snprintf(text, sizeof(text), "%.*f %s", digits, flops, kUnits[unit]);
  return text;
}

}  // namespace syncline
