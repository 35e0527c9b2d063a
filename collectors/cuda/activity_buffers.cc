// SPDX-License-Identifier: Apache-2.0
// A bit for each buffer that is free; taking and returning one is an exchange of a word.
#include "collectors/cuda/activity_buffers.h"

#include <sys/mman.h>

#include <atomic>

#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/client_buffers.h"
#include "collectors/cuda/device_clock.h"
#include "collectors/cuda/fetching.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

// From CUDA 13 on each thread that launches has a buffer of its own. Only pages that were written
// to cost memory.
constexpr size_t kBufferBytes = 1 << 20;
// CUPTI keeps a buffer until it is full or nothing in it is unfinished, which in a program that
// keeps the GPU busy is never. So a buffer is as large as is filled in about half a second: what a
// process that is killed loses stays small, and few buffers go round.
constexpr size_t kSmallest = 16 << 10;
constexpr uint64_t kSoonNs = 250'000'000;
constexpr uint64_t kLateNs = 1'000'000'000;
constexpr uint32_t kWords = 8;
constexpr uint32_t kBuffers = 64 * kWords;

const Cupti* g_reader;
uint8_t* g_memory;  // kBuffers of kBufferBytes
std::atomic<uint64_t> g_free[kWords];
std::atomic<size_t> g_bytes{kSmallest};          // of the next buffer
std::atomic<uint64_t> g_requested_ns[kBuffers];  // when each was given out

int TakeBuffer() {
  for (uint32_t word = 0; word < kWords; ++word) {
    uint64_t bits = g_free[word].load(std::memory_order_relaxed);
    while (bits != 0) {
      // Acquire: pairs with the release of ReturnBuffer, whose thread has read the buffer.
      if (g_free[word].compare_exchange_weak(bits, bits & (bits - 1), std::memory_order_acquire))
        return static_cast<int>(64 * word) + __builtin_ctzll(bits);
    }
  }
  return -1;
}

void ChooseSize(uint64_t age_ns, size_t bytes, size_t valid) {
  const size_t now = g_bytes.load(std::memory_order_relaxed);
  const bool full = valid > bytes / 4 * 3;
  if (full && age_ns < kSoonNs && bytes >= now && now < kBufferBytes)
    g_bytes.store(now * 2, std::memory_order_relaxed);
  if (age_ns > kLateNs && now > kSmallest) g_bytes.store(now / 2, std::memory_order_relaxed);
}

void ReturnBuffer(const uint8_t* buffer, size_t bytes, size_t valid) {
  const auto index = static_cast<size_t>(buffer - g_memory) / kBufferBytes;
  ChooseSize(MonotonicNs() - g_requested_ns[index].load(std::memory_order_relaxed), bytes, valid);
  g_free[index / 64].fetch_or(uint64_t{1} << (index % 64), std::memory_order_release);
  BufferIsBack();
}

}  // namespace

bool PrepareBuffers(const Cupti& cupti) {
  g_reader = &cupti;
  constexpr size_t kBytes = kBuffers * kBufferBytes;
  g_memory = static_cast<uint8_t*>(
      SysMap(kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
  if (g_memory == nullptr) return false;
  SysCall(SYS_madvise, AsLong(g_memory), static_cast<long>(kBytes), MADV_DONTDUMP);
  for (auto& word : g_free) word.store(~uint64_t{0}, std::memory_order_release);
  return true;
}

bool IsOurBuffer(const uint8_t* buffer) {
  return g_memory != nullptr && buffer >= g_memory && buffer < g_memory + kBuffers * kBufferBytes;
}

void CUPTIAPI OnBufferRequested(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *max_records = 0;  // as many as fit
  const int index = TakeBuffer();
  *buffer = nullptr;
  *bytes = 0;
  if (index < 0) return;
  g_requested_ns[index].store(MonotonicNs(), std::memory_order_relaxed);
  *buffer = g_memory + static_cast<size_t>(index) * kBufferBytes;
  *bytes = g_bytes.load(std::memory_order_relaxed);
  BufferGoesOut();
}

void CUPTIAPI OnBufferCompleted(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                size_t valid) {
  ErrnoKeeper keeper;
  if (buffer == nullptr) return;
  if (!IsOurBuffer(buffer)) return BringToClient(context, stream, buffer, bytes, valid);
  RecordDeviceClock();
  CUpti_Activity* activity = nullptr;
  while (g_reader->cuptiActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS) {
    RecordActivity(*activity);
  }
  ReturnBuffer(buffer, bytes, valid);
  size_t dropped = 0;
  if (g_reader->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS &&
      dropped != 0) {
    CountLoss(kLoss_cupti_dropped, dropped);
  }
}

}  // namespace syncline::cuda
