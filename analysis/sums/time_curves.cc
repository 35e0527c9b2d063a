// SPDX-License-Identifier: Apache-2.0
// Differences of running sums.
#include "analysis/sums/time_curves.h"

#include <algorithm>

#include "analysis/sums/device_use.h"

namespace syncline {
namespace {

uint64_t Less(uint64_t whole, uint64_t part) { return whole - std::min(whole, part); }

}  // namespace

// Copies are known from the operations themselves.
TimeKind KindOfPart(GapCause cause, HostSpan span) {
  switch (cause) {
    case GapCause::kHostWaited:
      return TimeKind::kWaiting;
    case GapCause::kHostBusy:
      return span == HostSpan::kData     ? TimeKind::kMakingData
             : span == HostSpan::kAwaits ? TimeKind::kAwaitingOthers
                                         : TimeKind::kHostBusy;
    case GapCause::kLaunchLatency:
      return TimeKind::kLaunching;
    case GapCause::kCopy:
      return TimeKind::kCopying;
    case GapCause::kOtherDevice:
      return TimeKind::kOtherDevice;
    case GapCause::kHostFunction:
      return TimeKind::kHostFunction;
    case GapCause::kFirstUse:
      return TimeKind::kLoadingCode;
    case GapCause::kNothingLeft:
      break;
  }
  return TimeKind::kOther;
}

HostSpan SpanOf(const std::vector<Gap>& gaps, const std::vector<LinesBetween>& lines, size_t gap) {
  if (gap < lines.size()) return lines[gap].span;
  return gaps[gap].made_data ? HostSpan::kData : HostSpan::kBetween;
}

void TimeCurves::AddDevices(uint32_t source, const GpuRecords& records,
                            const std::vector<OpLabel>& labels, const TimeLimits& limits) {
  std::vector<bool> communicates;
  for (const OpLabel& label : labels) communicates.push_back(Communicates(label));
  Device* device = nullptr;
  uint32_t number = 0;
  for (const uint32_t index : records.ops_by_device) {
    const GpuOp& op = records.ops[index];
    if (!limits.Hold(op.begin_ns, op.end_ns)) continue;
    if (device == nullptr || op.device != number) device = &DeviceOf(source, number = op.device);
    device->working.Add(op.begin_ns, op.end_ns, closed_);
    if (IsCopy(op)) continue;
    device->kernels.Add(op.begin_ns, op.end_ns, closed_);
    if (op.kernel < communicates.size() && communicates[op.kernel]) continue;
    device->computing.Add(op.begin_ns, op.end_ns, closed_);
  }
}

void TimeCurves::AddPart(Device* device, TimeKind kind, uint64_t begin_ns, uint64_t end_ns) {
  if (kind == TimeKind::kCopying || kind == TimeKind::kOther || begin_ns == end_ns) return;
  device->gaps.try_emplace(kind, most_).first->second.Add(begin_ns, end_ns, closed_);
}

void TimeCurves::AddGaps(uint32_t source, const std::vector<Gap>& gaps,
                         const std::vector<LinesBetween>& lines, const TimeLimits& limits) {
  for (size_t i = 0; i < gaps.size(); ++i) {
    const Gap& gap = gaps[i];
    const HostSpan span = SpanOf(gaps, lines, i);
    if (!limits.Hold(gap.begin_ns, gap.end_ns)) continue;
    Device& device = DeviceOf(source, gap.device);
    uint64_t at = gap.begin_ns;
    for (size_t cause = 0; cause < kGapCauses; ++cause) {
      const uint64_t until = std::min(at + gap.parts_ns[cause], gap.end_ns);
      AddPart(&device, KindOfPart(static_cast<GapCause>(cause), span), at, until);
      at = until;
    }
  }
}

uint64_t TimeCurves::bytes() const {
  uint64_t bytes = 0;
  for (const auto& [number, device] : devices_) {
    bytes += device.computing.bytes() + device.kernels.bytes() + device.working.bytes();
    for (const auto& [kind, curve] : device.gaps) bytes += curve.bytes();
  }
  return bytes;
}

uint64_t TimeCurves::error_ns() const {
  uint64_t off = 0;
  for (const auto& [number, device] : devices_) {
    for (const SpellCurve* curve : {&device.computing, &device.kernels, &device.working})
      off = std::max(off, curve->error_ns());
    for (const auto& [kind, curve] : device.gaps) off = std::max(off, curve.error_ns());
  }
  return off;
}

uint64_t TimeCurves::SetUpNs(Device* device, uint64_t begin_ns, uint64_t end_ns) const {
  if (device->kernels.empty()) return 0;
  const uint64_t first_ns = std::min(end_ns, device->kernels.begin_ns());
  if (first_ns <= begin_ns) return 0;
  return Less(first_ns - begin_ns,
              CoveredBy(closed_, begin_ns, first_ns) + device->working.Between(begin_ns, first_ns));
}

TimeShares TimeCurves::Between(uint64_t begin_ns, uint64_t end_ns,
                               const std::set<DeviceKey>& without) {
  TimeShares all;
  const uint64_t closed = closed_.empty() ? 0 : CoveredBy(closed_, begin_ns, end_ns);
  const uint64_t whole = Less(Less(end_ns, begin_ns), closed);
  for (auto& [key, device] : devices_) {
    if (without.contains(key)) continue;
    TimeShares shares;
    const uint64_t computing = device.computing.Between(begin_ns, end_ns);
    const uint64_t kernels = device.kernels.Between(begin_ns, end_ns);
    shares[TimeKind::kComputing] = computing;
    shares[TimeKind::kCommunicating] = Less(kernels, computing);
    shares[TimeKind::kCopying] = Less(device.working.Between(begin_ns, end_ns), kernels);
    for (auto& [kind, curve] : device.gaps) shares[kind] = curve.Between(begin_ns, end_ns);
    shares[TimeKind::kSettingUp] = SetUpNs(&device, begin_ns, end_ns);
    shares[TimeKind::kOther] = Less(whole, shares.Sum());
    all.Add(shares);
  }
  return all;
}

TimeShares TimeCurves::All() {
  uint64_t begin_ns = UINT64_MAX, end_ns = 0;
  for (const auto& [number, device] : devices_) {
    begin_ns = std::min(begin_ns, device.working.begin_ns());
    end_ns = std::max(end_ns, device.working.end_ns());
  }
  return begin_ns < end_ns ? Between(begin_ns, end_ns) : TimeShares();
}

}  // namespace syncline
