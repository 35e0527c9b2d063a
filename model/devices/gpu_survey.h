// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, what one source told of devices: facts, clock readings, and which
// correlations have a call and an operation, or ought to have one.
#pragma once

#include <bitset>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inject/core/record.h"
#include "model/devices/gpu_coverage.h"
#include "model/devices/gpu_names.h"

namespace syncline {

struct DeviceInfo {
  DeviceFacts facts{};
  std::string name;
  std::string given_name;  // by the program
};

inline constexpr uint32_t kNoId = 0xffffffff;  // as vendors write "does not apply"

// A stream of a GPU, as its source numbers it.
struct GpuStream {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  // clang-tidy 14 sees a 0 in it.
  auto operator<=>(const GpuStream&) const = default;  // NOLINT(modernize-use-nullptr)
};

// What all sources of a spool may take together, however many it says that it has: 200 MiB.
struct GpuRoom {
  size_t pages = 3 << 12;  // of correlations, of 8 KiB
  size_t event_records = 1 << 22;
  size_t memory_changes = 1 << 21;
  size_t readings = 1 << 20;
};

// A set of correlation ids, which are dense: pages of 65,536, at most 2^12 of them, 32 MiB. What
// is beyond, or has no room, is not in the set.
class CorrelationSet {
 public:
  explicit CorrelationSet(std::shared_ptr<GpuRoom> room = std::make_shared<GpuRoom>())
      : room_(std::move(room)) {}
  void Add(uint32_t correlation);
  // How many are here and not there.
  uint64_t CountWithout(const CorrelationSet& other) const;
  bool Has(uint32_t correlation) const {
    const auto page = pages_.find(correlation / kPageBits);
    return page != pages_.end() && (*page->second)[correlation % kPageBits];
  }

 private:
  static constexpr uint32_t kPageBits = 1 << 16;
  std::shared_ptr<GpuRoom> room_;
  std::unordered_map<uint32_t, std::unique_ptr<std::bitset<kPageBits>>> pages_;
};

// An event as it was recorded last before some correlation.
struct EventRecorded {
  uint32_t event;
  uint32_t correlation;
  uint32_t stream;
};

// Device memory taken or given back.
struct MemoryChange {
  uint64_t device_ns;
  int64_t bytes;
  uint32_t device;
};

// Memory: three bits a correlation, and what devices, streams and clock readings need, each capped.
class GpuSurvey {
 public:
  explicit GpuSurvey(Source source, std::shared_ptr<GpuRoom> room = std::make_shared<GpuRoom>())
      : names(FactsOfSource(source)), calls(room), ops(room), work(room), room_(std::move(room)) {}

  void OnCall(const CallRecord& call);
  void OnDeviceOp(const DeviceOpRecord& op);
  void OnDeviceEvent(const DeviceEventRecord& note);
  void OnDeviceClock(const DeviceClockRecord& reading);
  void OnDevice(uint64_t device, const DeviceFacts& facts, std::string_view name);
  void OnCoverage(const GpuCoverageRecord& record, std::string_view why);

  std::map<uint32_t, DeviceInfo> devices;
  GpuNames names;
  std::map<uint32_t, std::vector<DeviceClockRecord>> clocks;  // by number, as in the records
  std::vector<CoverageChange> coverage;
  std::vector<MemoryChange> memory;
  CorrelationSet calls;  // those whose call is outermost
  CorrelationSet ops;
  CorrelationSet work;  // those whose call gave a GPU work
  uint64_t call_count = 0;
  uint64_t op_count = 0;
  uint64_t event_count = 0;  // synchronisations, allocations and the like
  // Beyond the caps.
  uint64_t notes_left_out = 0;
  uint64_t coverage_left_out = 0;

  // After the reading, before LastRecorded.
  void Finish();

  // The device of a context, 0 where nothing told.
  uint32_t DeviceOf(uint32_t context) const;
  // Null: the event was not recorded before, or that is not known.
  const EventRecorded* LastRecorded(uint32_t event, uint32_t before) const;

 private:
  std::map<uint32_t, uint32_t> devices_of_contexts_;
  std::vector<EventRecorded> events_;
  std::shared_ptr<GpuRoom> room_;
};

}  // namespace syncline
