// SPDX-License-Identifier: Apache-2.0
// Collects, and caps what a hostile spool could make grow.
#include "model/devices/device_survey.h"

#include <algorithm>
#include <cstdio>

namespace syncline {
namespace {

constexpr size_t kMaxClocks = 257;  // one for each device, and the shared one
constexpr size_t kMaxReadings = 1 << 16;
constexpr size_t kMaxCoverageChanges = 1 << 14;
constexpr size_t kMaxDevices = 256;
constexpr size_t kMaxContexts = 1 << 12;
constexpr uint64_t kMaxMemory = uint64_t{1} << 40;  // all changes together fit into 63 bits

bool InOrder(const EventRecorded& a, const EventRecorded& b) {
  return a.event != b.event ? a.event < b.event : a.correlation < b.correlation;
}

bool TakeFrom(size_t* left) {
  if (*left == 0) return false;
  --*left;
  return true;
}

}  // namespace

void DeviceSurvey::OnDeviceOp(const DeviceOpRecord& op) {
  ++op_count;
  ops.Add(op.correlation);
  if (devices_of_contexts_.size() < kMaxContexts)
    devices_of_contexts_.try_emplace(op.context, op.device);
}

void DeviceSurvey::Finish() {
  std::stable_sort(events_.begin(), events_.end(), InOrder);
  for (auto& [device, info] : infos) {
    const auto at = addresses_.find(device);
    if (at != addresses_.end()) info.facts.pci = at->second;
  }
}

void DeviceSurvey::OnDeviceEvent(const DeviceEventRecord& note) {
  ++event_count;
  names.OnDeviceEvent(note);
  switch (note.type) {
    case DeviceEventType::kEvent:
      if (!TakeFrom(&room_->event_records)) {
        ++notes_left_out;
        return;
      }
      events_.push_back({note.head.id, note.correlation, note.stream});
      return;
    case DeviceEventType::kContext:
      if (devices_of_contexts_.size() < kMaxContexts)
        devices_of_contexts_[note.context] = note.device;
      return;
    case DeviceEventType::kDeviceAddress:
      if (note.device < kMaxDevices) addresses_[note.device] = static_cast<uint32_t>(note.address);
      return;
    case DeviceEventType::kAllocation:
      if (note.memory != MemoryKind::kDevice && note.memory != MemoryKind::kManaged) return;
      if (note.bytes > kMaxMemory || !TakeFrom(&room_->memory_changes)) {
        ++notes_left_out;
        return;
      }
      memory.push_back(
          {note.begin,
           note.detail == 1 ? static_cast<int64_t>(note.bytes) : -static_cast<int64_t>(note.bytes),
           note.device});
      return;
    case DeviceEventType::kSync:
    case DeviceEventType::kOverhead:
    case DeviceEventType::kStream:
    case DeviceEventType::kSettings:
    case DeviceEventType::kHostFunction:
    case DeviceEventType::kStreamHandle:
    case DeviceEventType::kContextHandle:
      return;
  }
}

uint32_t DeviceSurvey::DeviceOf(uint32_t context) const {
  const auto found = devices_of_contexts_.find(context);
  return found == devices_of_contexts_.end() ? 0 : found->second;
}

const EventRecorded* DeviceSurvey::LastRecorded(uint32_t event, uint32_t before) const {
  const auto next =
      std::lower_bound(events_.begin(), events_.end(), EventRecorded{event, before, 0}, InOrder);
  const bool found = next != events_.begin() && std::prev(next)->event == event;
  return found ? &*std::prev(next) : nullptr;
}

std::string UuidText(const uint8_t (&uuid)[16]) {
  if (std::all_of(std::begin(uuid), std::end(uuid), [](uint8_t byte) { return byte == 0; }))
    return "";
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < sizeof(uuid); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

std::string PciText(uint32_t address) {
  if (address == 0) return "";
  char text[16];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", address >> 16, address >> 8 & 0xff,
                address >> 3 & 31, address & 7);
  return text;
}

std::string IdOfDevice(const DeviceFacts& facts) {
  std::string uuid = UuidText(facts.uuid);
  return uuid.empty() ? PciText(facts.pci) : uuid;
}

void DeviceSurvey::OnDeviceClock(const DeviceClockRecord& reading) {
  if (clocks.size() >= kMaxClocks && !clocks.contains(reading.head.id)) return;
  if (!TakeFrom(&room_->readings)) return;
  std::vector<DeviceClockRecord>& readings = clocks[reading.head.id];
  readings.push_back(reading);
  if (readings.size() <= kMaxReadings) return;
  size_t kept = 0;  // a very long run: every second one will do
  for (size_t i = 0; i < readings.size(); i += 2) readings[kept++] = readings[i];
  room_->readings += readings.size() - kept;
  readings.resize(kept);
}

void DeviceSurvey::OnCoverage(const GpuCoverageRecord& record, std::string_view why) {
  if (coverage.size() < kMaxCoverageChanges)
    coverage.push_back({record.ticks, record.coverage, std::string(why)});
  else
    ++coverage_left_out;
}

void DeviceSurvey::OnDevice(uint64_t device, const DeviceFacts& facts, std::string_view name) {
  if (device >= kMaxDevices) return;
  infos[static_cast<uint32_t>(device)] = {facts, std::string(name), {}};
}

}  // namespace syncline
