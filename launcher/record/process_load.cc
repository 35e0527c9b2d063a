// SPDX-License-Identifier: Apache-2.0
// A launch owes an operation until that comes. What is kept is bounded; what is beyond that is told
// as missing.
#include "launcher/record/process_load.h"

#include <algorithm>
#include <cstring>

namespace syncline {
namespace {

constexpr size_t kMostOwed = 1 << 20;
constexpr size_t kMostClocks = 1024;
constexpr double kFarTicks = 1e18;  // a damaged record may say anything

template <typename Record>
bool Load(std::string_view bytes, Record* record) {
  if (bytes.size() < sizeof(Record)) return false;
  std::memcpy(record, bytes.data(), sizeof(Record));
  return true;
}

uint64_t Key(Source source, uint32_t correlation) { return uint64_t{source} << 32 | correlation; }

uint32_t BitOf(Source source) { return source < 32 ? 1u << source : 0; }

}  // namespace

void ProcessLoad::TakeRecord(const RecordHead& head, std::string_view record) {
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kCall:
      if (CallRecord call; Load(record, &call)) TakeCall(call);
      return;
    case RecordKind::kDeviceOp:
      if (DeviceOpRecord op; Load(record, &op)) TakeOperation(op);
      return;
    case RecordKind::kDeviceClock: {
      DeviceClockRecord clock;
      if (!Load(record, &clock) || clocks_.size() >= kMostClocks) return;
      clocks_[{static_cast<Source>(head.flags), head.id}] = clock;
      latest_ = std::max(latest_, clock.after);
      return;
    }
    case RecordKind::kGpuCoverage:
      if (GpuCoverageRecord coverage; Load(record, &coverage)) TakeCoverage(coverage);
      return;
    case RecordKind::kGate:
      is_gated_ = true;
      return;
    case RecordKind::kMemory: {
      MemoryRecord memory;
      if (!Load(record, &memory)) return;
      memory_.Take(memory);
      latest_ = std::max(latest_, memory.ticks);
      return;
    }
    default:
      return;
  }
}

void ProcessLoad::TakeCall(const CallRecord& call) {
  latest_ = std::max(latest_, call.end);
  if (!GaveWork(call)) return;
  owing_ |= BitOf(call.source);
  const uint64_t key = Key(call.source, call.correlation);
  if (early_.erase(key) != 0 || earlier_.erase(key) != 0) return;
  if (owed_.size() >= kMostOwed) {
    lost_until_ = UINT64_MAX;
    return;
  }
  owed_[key] = {std::max<uint64_t>(call.begin, 1), RoleOf(call.role) == CallRole::kGraphLaunch};
  if (first_owed_ != 0) first_owed_ = std::min(first_owed_, std::max<uint64_t>(call.begin, 1));
}

void ProcessLoad::TakeOperation(const DeviceOpRecord& op) {
  with_operations_ |= BitOf(op.source);
  const auto launch = owed_.find(Key(op.source, op.correlation));
  if (launch == owed_.end()) {
    if (early_.size() < kMostOwed) early_.insert(Key(op.source, op.correlation));
  } else if (!launch->second.is_graph || op.type == DeviceOpType::kGraph) {
    if (launch->second.begin == first_owed_) first_owed_ = 0;
    owed_.erase(launch);
  }
  auto clock = clocks_.find({op.source, op.device + 1});
  if (clock == clocks_.end()) clock = clocks_.find({op.source, 0});
  if (clock == clocks_.end()) {
    lost_until_ = std::max(lost_until_, latest_ + 1);
    return;
  }
  const auto ticks = [&](uint64_t device_ns) {
    const DeviceClockRecord& read = clock->second;
    const auto since_ns = static_cast<double>(static_cast<int64_t>(device_ns - read.device_ns));
    const double since = std::clamp(since_ns / ns_per_tick_, -kFarTicks, kFarTicks);
    const uint64_t read_at = read.before / 2 + read.after / 2;
    const double at = static_cast<double>(read_at) + since;
    if (at < 0 || at > kFarTicks) return uint64_t{0};
    return read_at + static_cast<uint64_t>(static_cast<int64_t>(since));
  };
  busy_.Add(ticks(op.begin), ticks(op.end));
}

void ProcessLoad::TakeCoverage(const GpuCoverageRecord& coverage) {
  may_have_devices_ = true;
  const bool covered = coverage.coverage == GpuCoverage::kAll;
  const auto known = uncovered_.find(coverage.source);
  if (!covered) {
    uncovered_[coverage.source] = UINT64_MAX;
  } else if (known != uncovered_.end()) {
    known->second = coverage.ticks;
  }
}

void ProcessLoad::Forget() {
  earlier_ = std::move(early_);
  early_.clear();
}

bool ProcessLoad::IsOwed(uint64_t end) const {
  if (owed_.empty()) return false;
  if (first_owed_ == 0) {
    first_owed_ = UINT64_MAX;
    for (const auto& [key, launch] : owed_) first_owed_ = std::min(first_owed_, launch.begin);
  }
  return first_owed_ <= end;
}

bool ProcessLoad::IsInPart(uint64_t begin) const {
  const bool uncovered = std::any_of(uncovered_.begin(), uncovered_.end(),
                                     [begin](const auto& one) { return one.second > begin; });
  return uncovered || (with_operations_ & ~owing_) != 0 || begin < busy_.spoiled_until() ||
         begin < lost_until_;
}

}  // namespace syncline
