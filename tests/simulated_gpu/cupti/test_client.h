// SPDX-License-Identifier: Apache-2.0
// A CUPTI client for the unit tests, written against the public API only: it gives buffers and
// keeps the records.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace simgpu::cupti {

struct TestRecord {
  uint32_t kind;
  std::vector<uint8_t> bytes;  // longer than any record: zero behind its end

  template <typename Record>
  Record As() const {
    Record record;
    std::memcpy(static_cast<void*>(&record), bytes.data(), sizeof record);
    return record;
  }
};

// The client's state is global, as CUPTI's callbacks carry no pointer.
class TestClient {
 public:
  // Forgets everything and registers with cuptiActivityRegisterCallbacks.
  static TestClient& Start(size_t buffer_size = 1 << 16, size_t max_records = 0);

  std::vector<TestRecord> Records() const;
  std::vector<TestRecord> Records(uint32_t kind) const;

  int Completions() const;

  // Read between flushes only.
  int requests = 0, completions = 0;
  bool decline = false;
  std::thread::id requested_on, completed_on;
  CUptiResult flush_inside_completion = CUPTI_SUCCESS;
  CUptiResult iteration_ended_with = CUPTI_SUCCESS;
  std::vector<uint32_t> record_sizes;
};

// The calls of the client's own: the request and completion functions of a second client, which
// only counts.
int SecondClientCompletions();
CUptiResult RegisterSecondClient();

}  // namespace simgpu::cupti
