// SPDX-License-Identifier: Apache-2.0
// How much of each device's memory a process's allocators had given out, and had of the driver,
// over time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/spool/record_sink.h"

namespace syncline {

// Fed by the first reading. 24 bytes a block that was given out or back; a process without such
// records takes nothing.
class MemoryLog : public RecordSink {
 public:
  struct Level {
    uint64_t ticks;
    uint64_t allocated;
    uint64_t held;
  };
  using Device = std::tuple<Source, uint8_t, uint32_t>;  // of a framework: its type and number
  using Levels = std::map<Device, std::vector<Level>>;

  // `room`: how many more levels may be kept, by all that share it.
  explicit MemoryLog(std::shared_ptr<uint64_t> room) : room_(std::move(room)) {}

  unsigned Interests() const override { return kMemory; }
  void OnMemory(Stream& stream, const MemoryRecord& record) override;

  // All was read.
  void Finish();

  bool empty() const { return levels_.empty(); }
  const Levels& levels() const { return levels_; }  // after Finish by time
  uint64_t left_out() const { return left_out_; }

 private:
  std::shared_ptr<uint64_t> room_;
  Levels levels_;
  uint64_t left_out_ = 0;
};

constexpr MemoryLog::Device DeviceOf(const MemoryRecord& record) {
  return {record.source, record.device_type, record.device};
}

// "cuda:0"
std::string MemoryDeviceName(const MemoryLog::Device& device);

}  // namespace syncline
