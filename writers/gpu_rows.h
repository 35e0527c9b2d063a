// SPDX-License-Identifier: Apache-2.0
// Rows of a rank's GPUs: a process row per device, a thread row per stream and lane.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "writers/gpu_survey.h"

namespace syncline {

// pid is the device's number, tid the stream's number where that is free on the device; other
// lanes, and streams of other contexts or processes with the same number, stand 1,000,000 or
// multiples above, as HTA and Kineto's readers expect of GPU rows.
class GpuRows {
 public:
  struct Row {
    uint32_t device;
    uint32_t tid;
    std::string name;
    int64_t order;
  };

  // `process` tells apart the streams of the rank's processes.
  void Add(uint32_t process, const GpuSurvey& survey);

  // tids by lane. Null: the stream is not known.
  const std::vector<uint32_t>* Lanes(uint32_t process, const GpuStream& stream) const;
  const std::vector<Row>& rows() const { return rows_; }
  const std::map<uint32_t, DeviceInfo>& devices() const { return devices_; }

 private:
  std::vector<Row> rows_;
  std::map<std::pair<uint32_t, GpuStream>, std::vector<uint32_t>> lanes_;
  std::set<std::pair<uint32_t, uint32_t>> taken_;  // device, tid
  std::map<uint32_t, DeviceInfo> devices_;
};

}  // namespace syncline
