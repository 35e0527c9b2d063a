// SPDX-License-Identifier: Apache-2.0
// Records of a device stand in the rings of several threads; their ticks are in order, for they
// were taken under one lock.
#include "model/run/memory_log.h"

#include <algorithm>

#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr size_t kMostDevices = 1024;  // a damaged record may name any

}  // namespace

void MemoryLog::OnMemory(Stream& /*stream*/, const MemoryRecord& record) {
  const Device device = DeviceOf(record);
  if (*room_ == 0 || (levels_.size() >= kMostDevices && !levels_.contains(device))) {
    ++left_out_;
    return;
  }
  --*room_;
  levels_[device].push_back({record.ticks, record.allocated, record.held});
}

void MemoryLog::Finish() {
  for (auto& [device, levels] : levels_) {
    std::stable_sort(levels.begin(), levels.end(),
                     [](const Level& a, const Level& b) { return a.ticks < b.ticks; });
  }
}

std::string MemoryDeviceName(const MemoryLog::Device& device) {
  const auto& [source, type, number] = device;
  const SourceFacts& facts = FactsOfSource(source);
  const std::string_view word =
      facts.memory_device == nullptr ? std::string_view() : facts.memory_device(type);
  return (word.empty() ? "device type " + std::to_string(type) : std::string(word)) + ":" +
         std::to_string(number);
}

}  // namespace syncline
