// SPDX-License-Identifier: Apache-2.0
// What the client set once: activity attributes, thread id type and the on/off switches of single
// record fields.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace simgpu::cupti {

class Settings {
 public:
  static Settings& Get();

  CUptiResult SetAttribute(uint32_t attribute, size_t* size, const void* value);
  CUptiResult GetAttribute(uint32_t attribute, size_t* size, void* value) const;

  // One buffer per thread: the default from 13.0 on, an attribute from 12.3 on.
  bool per_thread_buffers() const;
  bool zeroed_buffers() const;

  std::atomic<bool> system_thread_ids{false};   // cuptiSetThreadIdType
  std::atomic<bool> latency_timestamps{false};  // kernels: queued and submitted
  std::atomic<bool> event_device_timestamps{false};
  std::atomic<bool> all_sync_records{true};  // also those of queries that answered not ready

  void Reset();

 private:
  Settings() { Reset(); }
  static constexpr uint32_t kAttributes = 11;
  std::atomic<uint64_t> values_[kAttributes];
};

}  // namespace simgpu::cupti
