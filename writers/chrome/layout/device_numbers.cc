// SPDX-License-Identifier: Apache-2.0
// Its own number where that is free, else the lowest free one.
#include "writers/chrome/layout/device_numbers.h"

#include <algorithm>

namespace syncline {

void DeviceNumbers::Add(std::vector<const SourceRun*> runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const SourceRun* a, const SourceRun* b) {
    return a->devices.infos.size() > b->devices.infos.size();
  });
  for (const SourceRun* run : runs) {  // a device without an identity cannot be moved
    for (const auto& [device, info] : run->devices.infos) {
      if (IdOfDevice(info.facts).empty()) taken_.insert({run->source, device});
    }
  }
  for (const SourceRun* run : runs) {
    for (const auto& [device, info] : run->devices.infos) KeepNumber(run->source, device, info);
  }
  for (const SourceRun* run : runs) {
    for (const auto& [device, info] : run->devices.infos) {
      const std::string id = IdOfDevice(info.facts);
      const uint32_t number = id.empty() ? device : NumberOf(run->source, id);
      of_processes_[{run->number, device}] = number;
      if (number != device) moved_.insert(run->source);
    }
  }
}

// Where nobody has it.
void DeviceNumbers::KeepNumber(Source source, uint32_t device, const DeviceInfo& info) {
  const std::string id = IdOfDevice(info.facts);
  if (id.empty() || known_.contains({source, id})) return;
  if (taken_.insert({source, device}).second) known_[{source, id}] = device;
}

uint32_t DeviceNumbers::NumberOf(Source source, const std::string& id) {
  const auto [known, is_new] = known_.try_emplace({source, id}, 0);
  uint32_t& number = known->second;
  while (is_new && !taken_.insert({source, number}).second) ++number;
  return number;
}

uint32_t DeviceNumbers::Of(const SourceRun& run, uint32_t device) const {
  const auto found = of_processes_.find({run.number, device});
  return found == of_processes_.end() ? device : found->second;
}

std::map<uint32_t, uint32_t> DeviceNumbers::Moved(const SourceRun& run) const {
  std::map<uint32_t, uint32_t> moved;
  for (auto at = of_processes_.lower_bound({run.number, 0});
       at != of_processes_.end() && at->first.first == run.number; ++at) {
    if (at->second != at->first.second) moved[at->first.second] = at->second;
  }
  return moved;
}

}  // namespace syncline
