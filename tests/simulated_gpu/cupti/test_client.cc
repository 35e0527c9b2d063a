// SPDX-License-Identifier: Apache-2.0
// The unit tests' CUPTI client.
#include "tests/simulated_gpu/cupti/test_client.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

namespace simgpu::cupti {
namespace {

constexpr size_t kLongestRecord = 512;

std::mutex g_mutex;
TestClient g_client;
std::vector<TestRecord> g_records;
// What cuptiFinalize keeps stays reachable here: no leak of ours.
std::set<uint8_t*>& g_given = *new std::set<uint8_t*>;
size_t g_buffer_size, g_max_records;
std::atomic<int> g_second_completions{0};

void CUPTIAPI Request(uint8_t** buffer, size_t* size, size_t* max_records) {
  std::lock_guard lock(g_mutex);
  ++g_client.requests;
  g_client.requested_on = std::this_thread::get_id();
  *buffer =
      g_client.decline ? nullptr : static_cast<uint8_t*>(std::aligned_alloc(8, g_buffer_size));
  if (*buffer != nullptr) g_given.insert(*buffer);
  *size = g_client.decline ? 0 : g_buffer_size;
  *max_records = g_max_records;
}

void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const CUptiResult flush = cuptiActivityFlushAll(0);
  std::lock_guard lock(g_mutex);
  ++g_client.completions;
  g_client.flush_inside_completion = flush;
  g_client.completed_on = std::this_thread::get_id();
  CUpti_Activity* record = nullptr;
  const uint8_t* previous = nullptr;
  CUptiResult status;
  while ((status = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    auto* bytes = reinterpret_cast<uint8_t*>(record);
    if (previous != nullptr)
      g_client.record_sizes.push_back(static_cast<uint32_t>(bytes - previous));
    previous = bytes;
    const size_t left = static_cast<size_t>(buffer + valid - bytes);
    TestRecord kept{record->kind, std::vector<uint8_t>(kLongestRecord, 0)};
    std::memcpy(kept.bytes.data(), bytes, std::min(left, kLongestRecord));
    g_records.push_back(kept);
  }
  g_client.iteration_ended_with = status;
  g_given.erase(buffer);
  std::free(buffer);
}

void CUPTIAPI SecondRequest(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = 1 << 16;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

void CUPTIAPI SecondComplete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) {
  g_second_completions.fetch_add(1);
  std::free(buffer);
}

}  // namespace

TestClient& TestClient::Start(size_t buffer_size, size_t max_records) {
  {
    std::lock_guard lock(g_mutex);
    g_client = TestClient();
    g_records.clear();
    g_buffer_size = buffer_size;
    g_max_records = max_records;
    g_second_completions = 0;
  }
  if (cuptiActivityRegisterCallbacks(Request, Complete) != CUPTI_SUCCESS) std::abort();
  return g_client;
}

std::vector<TestRecord> TestClient::Records() const {
  std::lock_guard lock(g_mutex);
  return g_records;
}

std::vector<TestRecord> TestClient::Records(uint32_t kind) const {
  std::vector<TestRecord> found;
  for (const TestRecord& record : Records()) {
    if (record.kind == kind) found.push_back(record);
  }
  return found;
}

int TestClient::Completions() const {
  std::lock_guard lock(g_mutex);
  return completions;
}

int SecondClientCompletions() { return g_second_completions.load(); }

CUptiResult RegisterSecondClient() {
  return cuptiActivityRegisterCallbacks(SecondRequest, SecondComplete);
}

}  // namespace simgpu::cupti
