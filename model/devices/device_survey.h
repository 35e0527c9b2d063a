// SPDX-License-Identifier: Apache-2.0
// First reading of a spool, what one source told of its devices: facts, clock readings, and which
// correlations have an operation.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inject/core/record.h"
#include "model/devices/correlation_set.h"
#include "model/devices/gpu_coverage.h"
#include "model/devices/gpu_names.h"

namespace syncline {

// "5369...-...": as the vendors' tools write it, without what they write before it. Empty: it is
// not known.
std::string UuidText(const uint8_t (&uuid)[16]);

// "0000:65:00.0", of DeviceFacts::pci. Empty: it is not known.
std::string PciText(uint32_t address);

// Which physical device it is, for all processes of a machine: by its uuid, else by its address;
// empty: not known. An instance of a device that is divided (MIG) is a device of its own.
std::string IdOfDevice(const DeviceFacts& facts);

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

// Memory: a bit a correlation, and what devices, streams and clock readings need, each capped.
class DeviceSurvey {
 public:
  explicit DeviceSurvey(Source source,
                        std::shared_ptr<SurveyRoom> room = std::make_shared<SurveyRoom>())
      : names(FactsOfSource(source)), ops(room), room_(std::move(room)) {}

  void OnDeviceOp(const DeviceOpRecord& op);
  void OnDeviceEvent(const DeviceEventRecord& note);
  void OnDeviceClock(const DeviceClockRecord& reading);
  void OnDevice(uint64_t device, const DeviceFacts& facts, std::string_view name);
  void OnCoverage(const GpuCoverageRecord& record, std::string_view why);

  std::map<uint32_t, DeviceInfo> infos;  // by number
  GpuNames names;
  std::map<uint32_t, std::vector<DeviceClockRecord>> clocks;  // by number, as in the records
  std::vector<CoverageChange> coverage;
  std::vector<MemoryChange> memory;
  CorrelationSet ops;
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
  std::map<uint32_t, uint32_t> addresses_;  // of devices, where a note of its own tells them
  std::vector<EventRecorded> events_;
  std::shared_ptr<SurveyRoom> room_;
};

}  // namespace syncline
