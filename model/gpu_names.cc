// SPDX-License-Identifier: Apache-2.0
// Handles to numbers, in the order of the spool.
#include "model/gpu_names.h"

namespace syncline {
namespace {

constexpr size_t kMost = 1 << 16;  // of each kind

// NVTX_RESOURCE_TYPE_*, which the vendor defines beside CUDA's own types.
constexpr uint32_t kCuDevice = 0x40001, kCuContext = 0x40002, kCuStream = 0x40003;
constexpr uint32_t kCudaDevice = 0x50000, kCudaStream = 0x50001;
// cudaStreamLegacy is 1; 0 means it as a rule. cudaStreamPerThread, 2, is another for each thread.
constexpr uint64_t kLegacyStream = 1;
constexpr uint64_t kPerThreadStream = 2;

}  // namespace

void GpuNames::OnDeviceNote(const DeviceNoteRecord& note) {
  if (note.type == DeviceNoteType::kContext) {
    if (default_streams_.size() < kMost) default_streams_[note.context] = note.stream;
    return;
  }
  if (note.type != DeviceNoteType::kStreamHandle && note.type != DeviceNoteType::kContextHandle)
    return;
  if (objects_.size() >= kMost && !objects_.contains(note.address)) return;
  const uint32_t stream = note.type == DeviceNoteType::kStreamHandle ? note.stream : 0;
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
  switch (type) {
    case kCuDevice:
    case kCudaDevice:
      if (devices_.size() < kMost) devices_[static_cast<uint32_t>(identifier)] = name;
      return;
    case kCuStream:
    case kCudaStream:
      if (identifier <= kLegacyStream) {
        default_name_ = name;
      } else if (identifier != kPerThreadStream) {
        Name(identifier, name);
      }
      return;
    case kCuContext:
      return Name(identifier, name);
    default:
      return;
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
