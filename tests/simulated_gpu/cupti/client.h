// SPDX-License-Identifier: Apache-2.0
// The activity side of the library: the client's kinds and buffers, and the way of a record into a
// buffer.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/simulated_gpu/cupti/buffer.h"
#include "tests/simulated_gpu/cupti/kinds.h"

namespace simgpu::cupti {

// There is one: activity calls carry no subscriber. Lives for ever.
class Client {
 public:
  static Client& Get();

  Kinds& kinds() { return kinds_; }

  // A second registration takes over: buffers of the first are still completed through the first's
  // function.
  void Register(CUpti_BuffersCallbackRequestFunc request,
                CUpti_BuffersCallbackCompleteFunc complete);
  bool is_registered() const { return registered_.load(std::memory_order_acquire); }

  // Puts a record, cut to the size that the presented version has, into this thread's buffer. Asks
  // the client for one, on this thread, where there is none. `times` null: the record is complete.
  void Put(const void* newest_form, const RecordTimes* times);

  void Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns);

  // CUPTI_ERROR_INVALID_OPERATION before Register and from inside the completion callback.
  CUptiResult Flush(bool forced);

  size_t TakeDropped() { return dropped_.exchange(0, std::memory_order_relaxed); }

  // Forgets kinds, registration and everything undelivered.
  void Reset();

 private:
  // One per thread, or one for all (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER). Never freed,
  // only reused.
  struct Shard {
    std::mutex mutex;
    std::unique_ptr<Buffer> current;
    std::vector<std::unique_ptr<Buffer>> spares;  // asked for by two threads at once
    std::atomic<bool> in_use{false};
  };
  struct ShardOfThread;

  Shard& MyShard();
  Shard* NewShard();
  void PutBytes(const void* record, size_t size, const RecordTimes* times);
  std::unique_ptr<Buffer> Request(size_t least);
  // Sees to it that `shard` has room for a record; *asked_ns is set to the time when the client was
  // asked for a buffer.
  bool Provide(Shard& shard, std::unique_lock<std::mutex>& lock, size_t size, uint64_t* asked_ns);
  static void Retire(Shard& shard);
  void Drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  Kinds kinds_;
  std::mutex mutex_;  // shards_, request_ and complete_; taken before a shard's, which is taken
                      // before the worker's
  std::vector<Shard*> shards_;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  std::atomic<bool> registered_{false};
  std::atomic<size_t> dropped_{0};
  std::atomic<uint64_t> put_{0};
  Shard* const common_;

  Client();
};

}  // namespace simgpu::cupti
