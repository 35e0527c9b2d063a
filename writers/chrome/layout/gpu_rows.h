// SPDX-License-Identifier: Apache-2.0
// Rows of a rank's GPUs: a process row per device of each source, a thread row per stream and lane.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/run/source_run.h"
#include "writers/chrome/layout/device_lanes.h"
#include "writers/chrome/layout/device_numbers.h"

namespace syncline {

// pid is the device's number (DeviceNumbers) for the devices of the rank's first source (HTA and
// Kineto's readers know those), above kOtherDevices for those of others. tid is the stream's number
// where that is free on the device; other lanes, and streams of other contexts or processes with
// the same number, stand 1,000,000 or multiples above, as HTA and Kineto's readers expect of GPU
// rows.
inline constexpr uint32_t kOverheadPid = 4999999;  // Kineto's is -1, which Perfetto cannot show
inline constexpr uint32_t kOtherDevices = 5100000;
inline constexpr uint32_t kDevicesOfSource = 1000;

class GpuRows {
 public:
  struct Row {
    uint32_t pid;
    uint32_t tid;
    std::string name;
    int64_t order;
  };

  // Before Add, each source once: the first one has the devices' own numbers.
  void AddSource(Source source) { sources_.push_back(source); }
  // Before Add, once: tells the devices of several processes apart.
  void NumberDevices(std::vector<const SourceRun*> runs) { numbers_.Add(std::move(runs)); }
  void Add(const SourceRun& run, const DeviceLanes& lanes);

  // Rows for ranges that do not nest in the stream's own: `rows` of each stream.
  void AddRanges(const SourceRun& run, const GpuStream& stream, uint32_t rows);

  // The pids of a source's rows: that of its device 0 (device N of DeviceNumbers has N more), that
  // of a process's device, and its overhead's.
  uint32_t FirstPid(Source source) const;
  uint32_t Pid(const SourceRun& run, uint32_t device) const {
    return FirstPid(run.source) + numbers_.Of(run, device);
  }
  uint32_t OverheadRow(Source source) const;

  // By a SourceRun's number: tids by lane. Null: the stream is not known.
  const std::vector<uint32_t>* Lanes(uint32_t number, const GpuStream& stream) const;
  // The same for a SyncRow, and for the vendor's overhead (below OverheadRow).
  const std::vector<uint32_t>* SyncLanes(uint32_t number, const GpuStream& row) const;
  const std::vector<uint32_t>* OverheadLanes(uint32_t number) const;
  // The tid of a stream's row for ranges: row 0 is the stream's own. Returns 0 if there is none.
  uint32_t RangeRow(uint32_t number, const GpuStream& stream, uint32_t row) const;
  const std::vector<Row>& rows() const { return rows_; }

  const std::map<uint32_t, DeviceInfo>& devices() const { return devices_; }  // by pid
  const DeviceNumbers& numbers() const { return numbers_; }
  // "GPU 0"; a source that is not the rank's first one has its name before that.
  std::string Label(uint32_t pid) const;
  // What tells the device from others, where processes number them differently; else empty.
  std::string Identity(uint32_t pid) const;
  // Names of the overheads' rows, by pid.
  const std::map<uint32_t, const char*>& overheads() const { return overheads_; }

 private:
  enum class Kind { kOperations, kSyncs, kOverhead, kRanges };
  using Key = std::tuple<Kind, uint32_t, GpuStream>;  // with SourceRun::number

  // Rows for all lanes, the first with `tid` or the next free number above.
  void Give(const Key& key, uint32_t pid, uint32_t tid, uint32_t lanes, const std::string& name,
            const std::string& other_name);
  void AddDevices(const SourceRun& run);
  Source SourceOf(uint32_t pid) const;
  const std::vector<uint32_t>* Find(const Key& key) const;

  std::vector<Row> rows_;
  std::map<Key, std::vector<uint32_t>> lanes_;
  std::set<std::pair<uint32_t, uint32_t>> taken_;                // pid, tid
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> next_tids_;  // pid, tid below kStep
  std::map<uint32_t, DeviceInfo> devices_;
  std::map<uint32_t, const char*> overheads_;
  std::vector<Source> sources_;  // of the rank
  DeviceNumbers numbers_;
};

}  // namespace syncline
