// SPDX-License-Identifier: Apache-2.0
// Records into buffers: requesting, filling, retiring, flushing.
#include "tests/simulated_gpu/cupti/client.h"

#include <cstring>

#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/layouts.h"
#include "tests/simulated_gpu/cupti/records.h"
#include "tests/simulated_gpu/cupti/settings.h"
#include "tests/simulated_gpu/cupti/worker.h"

namespace simgpu::cupti {
namespace {

// Inside the client's request callback: a record of a call that it makes must not ask for a buffer
// again.
thread_local bool t_requesting = false;
thread_local bool t_noting_request = false;

// The fault null_buffer: how often a declined request is repeated.
constexpr int kRepeatedRequests = 1000;
constexpr uint64_t kGarbageEvery = 4;

}  // namespace

struct Client::ShardOfThread {
  Shard* shard = nullptr;
  ~ShardOfThread() {
    // What the shard holds stays: the next thread fills on, and a flush finds it.
    if (shard != nullptr) shard->in_use.store(false, std::memory_order_release);
    shard = nullptr;
  }
};

Client& Client::Get() {
  static Client& client = *new Client;
  return client;
}

Client::Client() : common_(NewShard()) {}

Client::Shard* Client::NewShard() {
  std::lock_guard lock(mutex_);
  for (Shard* shard : shards_) {
    if (shard != common_ && !shard->in_use.exchange(true, std::memory_order_acquire)) return shard;
  }
  shards_.push_back(new Shard);
  shards_.back()->in_use.store(true, std::memory_order_relaxed);
  return shards_.back();
}

Client::Shard& Client::MyShard() {
  if (!Settings::Get().per_thread_buffers()) return *common_;
  thread_local ShardOfThread mine;
  if (mine.shard == nullptr) mine.shard = NewShard();
  return *mine.shard;
}

void Client::Register(CUpti_BuffersCallbackRequestFunc request,
                      CUpti_BuffersCallbackCompleteFunc complete) {
  Worker::Get();
  std::lock_guard lock(mutex_);
  for (Shard* shard : shards_) {
    std::lock_guard shard_lock(shard->mutex);
    shard->spares.clear();
    Retire(*shard);
  }
  request_ = request;
  complete_ = complete;
  registered_.store(true, std::memory_order_release);
}

void Client::Retire(Shard& shard) {
  if (shard.current != nullptr) Worker::Get().Take(std::move(shard.current));
}

std::unique_ptr<Buffer> Client::Request(size_t least) {
  CUpti_BuffersCallbackRequestFunc request;
  CUpti_BuffersCallbackCompleteFunc complete;
  {
    std::lock_guard lock(mutex_);
    request = request_;
    complete = complete_;
  }
  if (request == nullptr || t_requesting) return nullptr;
  t_requesting = true;
  uint8_t* bytes = nullptr;
  size_t size = 0, max_records = 0;
  int left = Fault("null_buffer") != nullptr ? kRepeatedRequests : 1;
  for (; left > 0 && bytes == nullptr; --left) request(&bytes, &size, &max_records);
  t_requesting = false;
  if (bytes == nullptr) return nullptr;
  auto buffer = std::make_unique<Buffer>(bytes, size, max_records, Settings::Get().zeroed_buffers(),
                                         complete);
  if (buffer->Fits(least)) return buffer;
  Worker::Get().Take(std::move(buffer));  // too small for this record: it goes back empty
  return nullptr;
}

bool Client::Provide(Shard& shard, std::unique_lock<std::mutex>& lock, size_t size,
                     uint64_t* asked_ns) {
  if (shard.current != nullptr && !shard.current->Fits(size)) Retire(shard);
  if (shard.current != nullptr) return true;
  std::unique_ptr<Buffer> buffer;
  if (!shard.spares.empty()) {
    buffer = std::move(shard.spares.back());
    shard.spares.pop_back();
  } else {
    // Not under the lock: the client may call CUPTI from its callback.
    lock.unlock();
    *asked_ns = FindEngine() == nullptr ? 0 : FindEngine()->now();
    buffer = Request(size);
    lock.lock();
    if (buffer == nullptr) return shard.current != nullptr && shard.current->Fits(size);
    if (shard.current != nullptr) {
      shard.spares.push_back(std::move(buffer));
      return shard.current->Fits(size);
    }
  }
  shard.current = std::move(buffer);
  return shard.current->Fits(size);
}

void Client::PutBytes(const void* record, size_t size, const RecordTimes* times) {
  Shard& shard = MyShard();
  std::unique_lock lock(shard.mutex);
  uint64_t asked_ns = 0;
  if (!Provide(shard, lock, size, &asked_ns)) return Drop();
  shard.current->Append(record, size, times);
  lock.unlock();
  if (asked_ns == 0 || t_noting_request || !kinds_.On(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  t_noting_request = true;  // a buffer of one record's size would go round for ever
  PutBufferRequestOverhead(asked_ns);
  t_noting_request = false;
}

void Client::Put(const void* newest_form, const RecordTimes* times) {
  if (!is_registered()) return;
  const uint64_t number = put_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Fault("dropped") != nullptr && number % FaultNumber("dropped", 2) == 0) return Drop();
  const uint32_t kind = static_cast<const CUpti_Activity*>(newest_form)->kind;
  PutBytes(newest_form, RecordSize(kind, Presented()), times);
  if (Fault("garbage") == nullptr || number % kGarbageEvery != 0) return;
  const GarbageRecords garbage = MakeGarbage(number);
  PutBytes(&garbage.unknown, kGarbageSize, nullptr);
  PutBytes(&garbage.kernel, RecordSize(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, Presented()),
           nullptr);
  PutBytes(&garbage.call, RecordSize(CUPTI_ACTIVITY_KIND_RUNTIME, Presented()), nullptr);
}

void Client::Complete(uint64_t operation, uint64_t start_ns, uint64_t end_ns) {
  {
    std::lock_guard lock(mutex_);
    for (Shard* shard : shards_) {
      std::lock_guard shard_lock(shard->mutex);
      if (shard->current && shard->current->Complete(operation, start_ns, end_ns)) return;
    }
  }
  Worker::Get().Complete(operation, start_ns, end_ns);
}

CUptiResult Client::Flush(bool forced) {
  if (!is_registered() || Worker::Get().IsThisThread()) return CUPTI_ERROR_INVALID_OPERATION;
  const Engine* engine = FindEngine();
  const uint64_t now = engine == nullptr ? 0 : engine->now();
  {
    std::lock_guard lock(mutex_);
    for (Shard* shard : shards_) {
      std::lock_guard shard_lock(shard->mutex);
      if (shard->current && (forced || shard->current->ReadyAt() <= now)) Retire(*shard);
    }
  }
  Worker::Get().Flush(forced);
  return CUPTI_SUCCESS;
}

void Client::Reset() {
  kinds_.Clear();
  registered_.store(false, std::memory_order_release);
  std::lock_guard lock(mutex_);
  for (Shard* shard : shards_) {
    std::lock_guard shard_lock(shard->mutex);
    shard->current.reset();
    shard->spares.clear();
  }
  request_ = nullptr;
  complete_ = nullptr;
  Worker::Get().Drop();
  dropped_.store(0, std::memory_order_relaxed);
}

}  // namespace simgpu::cupti
