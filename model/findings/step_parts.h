// SPDX-License-Identifier: Apache-2.0
// What of a sum over a run belongs to its steps, from the first steady one on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace syncline {

struct StepPart {
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t device_ns = 0;  // of operators: on devices
  uint64_t bytes = 0;      // of copies

  void Add(const StepPart& other) {
    count += other.count;
    total_ns += other.total_ns;
    device_ns += other.device_ns;
    bytes += other.bytes;
  }
  bool operator==(const StepPart&) const = default;
};

// By StepSeries::name, of the kinds that StepOps are of. What has none did nothing in steps of that
// kind, where StepOps::steps of them are known.
using StepParts = std::map<std::string, StepPart>;

inline void AddParts(const StepParts& more, StepParts* parts) {
  for (const auto& [name, part] : more) (*parts)[name].Add(part);
}

}  // namespace syncline
