// SPDX-License-Identifier: Apache-2.0
// Handles to numbers, in the order of the spool.
#include "model/devices/gpu_names.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kMost = 1 << 16;  // of each kind

}  // namespace

void GpuNames::OnDeviceEvent(const DeviceEventRecord& note) {
  if (note.type == DeviceEventType::kContext) {
    if (default_streams_.size() < kMost) default_streams_[note.context] = note.stream;
    return;
  }
  if (note.type != DeviceEventType::kStreamHandle && note.type != DeviceEventType::kContextHandle)
    return;
  if (objects_.size() >= kMost && !objects_.contains(note.address)) return;
  const uint32_t stream = note.type == DeviceEventType::kStreamHandle ? note.stream : 0;
  objects_[note.address] = {note.context, stream};
  const auto pending = pending_.find(note.address);
  if (pending == pending_.end()) return;
  Name(pending->first, pending->second);
  pending_.erase(pending);
}

void GpuNames::Name(uint64_t handle, std::string_view name) {
  const auto object = objects_.find(handle);
  if (object != objects_.end()) {
    if (names_.size() < kMost) names_[object->second] = name;
  } else if (pending_.size() < kMost) {
    pending_[handle] = name;
  }
}

void GpuNames::OnResource(uint32_t type, uint64_t identifier, std::string_view name) {
  const auto named = std::find_if(facts_.devices.named.begin(), facts_.devices.named.end(),
                                  [type](const ResourceRow& row) { return row.type == type; });
  if (named == facts_.devices.named.end()) return;
  switch (named->object) {
    case NamedObject::kDevice:
      if (devices_.size() < kMost) devices_[static_cast<uint32_t>(identifier)] = name;
      return;
    case NamedObject::kQueue:
      if (identifier <= facts_.devices.default_queue_handles) {
        default_name_ = name;
      } else if (identifier != facts_.devices.other_queue_handle) {
        Name(identifier, name);
      }
      return;
    case NamedObject::kContext:
      return Name(identifier, name);
  }
}

std::string GpuNames::Stream(uint32_t context, uint32_t stream) const {
  const auto named = names_.find({context, stream});
  if (named != names_.end() && stream != 0) return named->second;
  // With several contexts nobody knows whose default stream was meant.
  if (default_streams_.size() != 1) return "";
  const auto& [only_context, default_stream] = *default_streams_.begin();
  return only_context == context && default_stream == stream ? default_name_ : "";
}

std::string GpuNames::Context(uint32_t context) const {
  const auto named = names_.find({context, 0});
  return named == names_.end() ? std::string() : named->second;
}

std::string GpuNames::Device(uint32_t device) const {
  const auto named = devices_.find(device);
  return named == devices_.end() ? std::string() : named->second;
}

}  // namespace syncline
