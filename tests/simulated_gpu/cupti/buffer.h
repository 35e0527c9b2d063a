// SPDX-License-Identifier: Apache-2.0
// One activity buffer of the client: records in it, which of them are not complete yet, and their
// completion.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simgpu::cupti {

// The engine times that a record gets when its buffer is delivered.
struct RecordTimes {
  uint64_t operation = 0;  // its id; 0 for what is not an operation
  bool end_known = true;
  uint64_t start_ns = 0, end_ns = 0;
};

// Not thread-safe: whoever owns it (a shard, the worker) holds the lock.
class Buffer {
 public:
  static constexpr uint64_t kNever = ~0ull;

  // max_records 0: as many as fit. Clears the bytes unless the client said that it had (`is_zero`).
  // `complete` takes them back: the client's function at the time when it gave them.
  Buffer(uint8_t* bytes, size_t size, size_t max_records, bool is_zero,
         CUpti_BuffersCallbackCompleteFunc complete);

  bool Fits(size_t record_size) const;
  // `times` null: the record is complete as it is.
  void Append(const void* record, size_t record_size, const RecordTimes* times);

  // An operation whose end was not known has ended. False where no record here waits for it.
  bool Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns);

  // The engine time from which on all records are complete; kNever while an end is unknown.
  uint64_t ReadyAt() const;

  // Writes all times, those of records that are not complete at `now_ns` as 0; applies the faults.
  // Once, before delivery.
  void Finish(uint64_t now_ns);

  // Gives the bytes back to the client.
  void Deliver() { complete_(nullptr, 0, bytes_, size_, used_); }

 private:
  struct Pending {
    uint32_t offset;
    RecordTimes times;
  };
  void WriteTimes(const Pending& pending, uint64_t now_ns);
  void Reverse();

  uint8_t* const bytes_;
  const size_t size_;
  const size_t max_records_;
  const CUpti_BuffersCallbackCompleteFunc complete_;
  size_t used_ = 0;
  std::vector<uint32_t> offsets_;  // of all records
  std::vector<Pending> pending_;
};

// The record after `record` (null: the first) in `valid` bytes at `buffer`, as
// cuptiActivityGetNextRecord answers.
CUptiResult NextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record);

}  // namespace simgpu::cupti
