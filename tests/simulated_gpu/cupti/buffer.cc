// SPDX-License-Identifier: Apache-2.0
// Fills, completes and reads activity buffers.
#include "tests/simulated_gpu/cupti/buffer.h"

#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/cupti/clock.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/layouts.h"

namespace simgpu::cupti {
namespace {

bool IsKernel(uint32_t kind) {
  return kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

void Write(uint8_t* record, uint16_t field, uint64_t value) {
  if (field != 0) std::memcpy(record + field, &value, sizeof value);
}

uint32_t KindAt(const uint8_t* record) {
  uint32_t kind;
  std::memcpy(&kind, record, sizeof kind);
  return kind;
}

}  // namespace

Buffer::Buffer(uint8_t* bytes, size_t size, size_t max_records, bool is_zero,
               CUpti_BuffersCallbackCompleteFunc complete)
    : bytes_(bytes), size_(size), max_records_(max_records), complete_(complete) {
  if (!is_zero) std::memset(bytes, 0, size);
}

bool Buffer::Fits(size_t record_size) const {
  return size_ - used_ >= record_size && (max_records_ == 0 || offsets_.size() < max_records_);
}

void Buffer::Append(const void* record, size_t record_size, const RecordTimes* times) {
  const uint32_t offset = static_cast<uint32_t>(used_);
  std::memcpy(bytes_ + used_, record, record_size);
  used_ += record_size;
  offsets_.push_back(offset);
  if (times != nullptr) pending_.push_back({offset, *times});
}

bool Buffer::Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns) {
  bool found = false;
  for (Pending& pending : pending_) {
    if (pending.times.operation != operation || pending.times.end_known) continue;
    pending.times = {operation, true, start_ns, end_ns};
    found = true;
  }
  return found;
}

uint64_t Buffer::ReadyAt() const {
  uint64_t ready = 0;
  for (const Pending& pending : pending_) {
    if (!pending.times.end_known) return kNever;
    ready = std::max(ready, pending.times.end_ns);
  }
  return ready;
}

void Buffer::WriteTimes(const Pending& pending, uint64_t now_ns) {
  uint8_t* const record = bytes_ + pending.offset;
  const uint32_t kind = KindAt(record);
  const TimeFields fields = TimesOf(kind);
  const bool complete = pending.times.end_known && pending.times.end_ns <= now_ns;
  uint64_t start = 0, end = 0;
  if (complete) {
    start = TheClock().FromEngine(pending.times.start_ns);
    // Kept exact: the line through two readings of a callback's clock may change from one
    // conversion to the next.
    end = std::max(start, TheClock().FromEngine(pending.times.end_ns));
  }
  if (IsKernel(kind)) {
    const bool broken_callback = TheClock().has_callback() && Fault("timestamp_callback_zero");
    if (Fault("zero_timestamps") || broken_callback) start = end = 0;
    if (Fault("backward_timestamps")) std::swap(start, end);
  }
  Write(record, fields.start, start);
  Write(record, fields.end, end);
  Write(record, fields.completed, end);
}

void Buffer::Reverse() {
  std::vector<uint8_t> reversed;
  reversed.reserve(used_);
  size_t end = used_;
  for (auto offset = offsets_.rbegin(); offset != offsets_.rend(); ++offset) {
    reversed.insert(reversed.end(), bytes_ + *offset, bytes_ + end);
    end = *offset;
  }
  std::memcpy(bytes_, reversed.data(), reversed.size());
}

void Buffer::Finish(uint64_t now_ns) {
  for (const Pending& pending : pending_) WriteTimes(pending, now_ns);
  if (Fault("out_of_order") != nullptr) Reverse();
}

CUptiResult NextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<uint8_t*>(*record);
    next += RecordSize(KindAt(next), Presented());
  }
  const size_t left = next < buffer + valid ? static_cast<size_t>(buffer + valid - next) : 0;
  if (left == 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (left < sizeof(CUpti_Activity)) return CUPTI_ERROR_INVALID_KIND;
  const size_t size = RecordSize(KindAt(next), Presented());
  if (size == 0 || size > left) return CUPTI_ERROR_INVALID_KIND;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // namespace simgpu::cupti
