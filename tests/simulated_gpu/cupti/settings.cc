// SPDX-License-Identifier: Apache-2.0
// The table of activity attributes with their sizes and defaults.
#include "tests/simulated_gpu/cupti/settings.h"

#include <cstring>

#include "tests/simulated_gpu/cupti/version.h"

namespace simgpu::cupti {
namespace {

struct AttributeRow {
  uint32_t attribute;
  size_t size;
  uint64_t value;  // the default that cupti_activity.h states
  Version since, until;
};

constexpr Version kAlways = 0, kStill = 9999;
constexpr AttributeRow kRows[] = {
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, sizeof(size_t), 3'200'000, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_CDP, sizeof(size_t), 8'388'608, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, sizeof(size_t), 250, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE, sizeof(size_t), 25'000, kAlways, 1203},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, sizeof(size_t), 250, kAlways, 1203},
    {CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1, 0, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, sizeof(size_t), 3, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_PRE_ALLOCATE_VALUE, sizeof(size_t), 3, kAlways, 1203},
    {CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, 1, 0, kAlways, kStill},
    {CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 1, 1, 1203, kStill},
    {CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE_DEVICE_GRAPHS, sizeof(size_t), 16'777'216, 1208,
     kStill},
};

// Null where the presented version has no such attribute.
const AttributeRow* Find(uint32_t attribute) {
  for (const AttributeRow& row : kRows) {
    if (row.attribute == attribute && row.since <= Presented() && Presented() < row.until)
      return &row;
  }
  return nullptr;
}

CUptiResult Check(const AttributeRow* row, const size_t* size, const void* value) {
  if (row == nullptr || size == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  return *size < row->size ? CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT : CUPTI_SUCCESS;
}

}  // namespace

Settings& Settings::Get() {
  static Settings& settings = *new Settings;
  return settings;
}

void Settings::Reset() {
  for (const AttributeRow& row : kRows)
    values_[row.attribute].store(row.value, std::memory_order_relaxed);
  const bool per_thread = Presented() >= 1300;
  values_[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER].store(per_thread,
                                                                std::memory_order_relaxed);
  system_thread_ids = latency_timestamps = event_device_timestamps = false;
  all_sync_records = true;
}

CUptiResult Settings::SetAttribute(uint32_t attribute, size_t* size, const void* value) {
  const AttributeRow* row = Find(attribute);
  if (const CUptiResult bad = Check(row, size, value)) return bad;
  uint64_t wide = 0;
  std::memcpy(&wide, value, row->size);
  values_[attribute].store(wide, std::memory_order_relaxed);
  return CUPTI_SUCCESS;
}

CUptiResult Settings::GetAttribute(uint32_t attribute, size_t* size, void* value) const {
  const AttributeRow* row = Find(attribute);
  if (const CUptiResult bad = Check(row, size, value)) return bad;
  const uint64_t wide = values_[attribute].load(std::memory_order_relaxed);
  std::memcpy(value, &wide, row->size);
  *size = row->size;
  return CUPTI_SUCCESS;
}

bool Settings::per_thread_buffers() const {
  return values_[CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER].load(std::memory_order_relaxed) !=
         0;
}

bool Settings::zeroed_buffers() const {
  return values_[CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER].load(std::memory_order_relaxed) !=
         0;
}

}  // namespace simgpu::cupti
