// SPDX-License-Identifier: Apache-2.0
// Rows of a rank's GPUs: a process row per device, a thread row per stream and lane.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/gpu_survey.h"
#include "writers/chrome/device_lanes.h"

namespace syncline {

// pid is the device's number, tid the stream's number where that is free on the device; other
// lanes, and streams of other contexts or processes with the same number, stand 1,000,000 or
// multiples above, as HTA and Kineto's readers expect of GPU rows.
inline constexpr uint32_t kOverheadPid = 4999999;  // Kineto's is -1, which Perfetto cannot show

class GpuRows {
 public:
  struct Row {
    uint32_t device;
    uint32_t tid;
    std::string name;
    int64_t order;
  };

  // `process` tells apart the streams of the rank's processes.
  void Add(uint32_t process, const GpuSurvey& survey, const DeviceLanes& lanes);

  // Rows for ranges that do not nest in the stream's own: `rows` of each stream.
  void AddRanges(uint32_t process, const GpuSurvey& survey, const GpuStream& stream, uint32_t rows);

  // tids by lane. Null: the stream is not known.
  const std::vector<uint32_t>* Lanes(uint32_t process, const GpuStream& stream) const;
  // The same for a SyncRow, and for the vendor's overhead (below kOverheadPid).
  const std::vector<uint32_t>* SyncLanes(uint32_t process, const GpuStream& row) const;
  const std::vector<uint32_t>* OverheadLanes(uint32_t process) const;
  // Of ranges on a stream: row 0 is the stream's own. 0: it has none.
  uint32_t RangeRow(uint32_t process, const GpuStream& stream, uint32_t row) const;
  const std::vector<Row>& rows() const { return rows_; }
  const std::map<uint32_t, DeviceInfo>& devices() const { return devices_; }

 private:
  enum class Kind { kOperations, kSyncs, kOverhead, kRanges };
  using Key = std::tuple<Kind, uint32_t, GpuStream>;

  // Rows for all lanes, the first with `tid` or the next free number above.
  void Give(const Key& key, uint32_t device, uint32_t tid, uint32_t lanes, const std::string& name,
            const std::string& other_name);
  const std::vector<uint32_t>* Find(const Key& key) const;

  std::vector<Row> rows_;
  std::map<Key, std::vector<uint32_t>> lanes_;
  std::set<std::pair<uint32_t, uint32_t>> taken_;                // device, tid
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> next_tids_;  // device, tid below kStep
  std::map<uint32_t, DeviceInfo> devices_;
};

}  // namespace syncline
