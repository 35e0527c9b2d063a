// SPDX-License-Identifier: Apache-2.0
// Which number each device of a rank's processes has in the trace: one for each physical device.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/run/source_run.h"

namespace syncline {

// A process counts the devices that it sees (CUDA_VISIBLE_DEVICES), so device 0 of two processes
// may be two devices, and device 0 of one may be device 1 of the other. What no process told apart
// is told by the number. Where no two processes disagree each device keeps its number.
class DeviceNumbers {
 public:
  // All of a rank, once and before Of. Who sees most devices has the machine's numbers.
  void Add(std::vector<const SourceRun*> runs);

  // The number that was not added: the process's own.
  uint32_t Of(const SourceRun& run, uint32_t device) const;
  // By the process's own numbers: those of its devices that have others in the trace.
  std::map<uint32_t, uint32_t> Moved(const SourceRun& run) const;
  // Whether a device of the source has another number than in its process.
  bool AnyMoved(Source source) const { return moved_.contains(source); }

 private:
  void KeepNumber(Source source, uint32_t device, const DeviceInfo& info);
  uint32_t NumberOf(Source source, const std::string& id);

  std::map<std::pair<Source, std::string>, uint32_t> known_;        // by identity
  std::set<std::pair<Source, uint32_t>> taken_;                     // numbers of the trace
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_processes_;  // SourceRun::number, device
  std::set<Source> moved_;
};

}  // namespace syncline
