// SPDX-License-Identifier: Apache-2.0
// Collectives: all ranks meet, then piece by piece each puts what it sends into its stage and takes
// what it needs from the others'.
#include "tests/simulated_gpu/libraries/nccl/exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/simulated_gpu/libraries/nccl/reduce.h"

namespace simgpu::nccl {
namespace {

constexpr size_t kMostBytes = 64 << 20, kAlignment = 64;

// Of what the calls of a batch have to agree in.
uint64_t Signature(const Batch& batch) {
  uint64_t hash = 14695981039346656037u;
  for (const CollectiveCall& call : batch.collectives) {
    const uint64_t facts[] = {
        static_cast<uint64_t>(call.function), call.count, static_cast<uint64_t>(call.type),
        static_cast<uint64_t>(call.reduction), static_cast<uint64_t>(call.root)};
    for (const uint64_t fact : facts) hash = (hash ^ fact) * 1099511628211u;
  }
  return hash;
}

}  // namespace

void Meeting::Add(int rank, uint64_t ready_ns, uint64_t duration_ns) {
  if (ready_ns > last_ns) {
    last_ns = ready_ns;
    last_rank = rank;
  }
  longest_ns = std::max(longest_ns, duration_ns);
}

Exchange::Exchange(std::shared_ptr<Segment> segment, int rank, int ranks,
                   const std::atomic<bool>& stop, std::function<void()> idle)
    : segment_(std::move(segment)),
      rank_(rank),
      ranks_(ranks),
      stop_(stop),
      idle_(std::move(idle)),
      sent_(static_cast<size_t>(ranks)),
      received_(static_cast<size_t>(ranks)) {}

std::optional<Meeting> Exchange::Perform(const Batch& batch, const Arrival& arrival) {
  return batch.collectives.empty() ? MeetPairs(batch, arrival) : MeetAll(batch, arrival);
}

void Exchange::Hang() {
  segment_->Await([] { return false; }, stop_, idle_);
}

void Exchange::Tell() {
  segment_->line(rank_).step.store(++step_, std::memory_order_release);
  segment_->Told();
}

bool Exchange::AwaitAll() {
  const auto all_there = [this] {
    for (int rank = 0; rank < ranks_; ++rank) {
      const uint32_t step = segment_->line(rank).step.load(std::memory_order_acquire);
      if (static_cast<int32_t>(step - step_) < 0) return false;
    }
    return true;
  };
  return segment_->Await(all_there, stop_, idle_);
}

std::optional<Meeting> Exchange::MeetAll(const Batch& batch, const Arrival& arrival) {
  if (!AwaitAll()) return std::nullopt;  // all have read what the lines and stages had before
  Line& mine = segment_->line(rank_);
  mine.ready_ns = arrival.ready_ns;
  mine.duration_ns = arrival.duration_ns;
  mine.signature = Signature(batch);
  Tell();
  if (!AwaitAll()) return std::nullopt;
  Meeting meeting;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Line& line = segment_->line(rank);
    meeting.Add(rank, line.ready_ns, line.duration_ns);
    meeting.mismatch = meeting.mismatch || line.signature != mine.signature;
  }
  Tell();
  if (meeting.mismatch) return meeting;
  for (const CollectiveCall& call : batch.collectives) {
    if (!MoveAll(call)) return std::nullopt;
  }
  return meeting;
}

bool Exchange::MoveAll(const CollectiveCall& call) {
  const size_t blocks = call.function == Function::kReduceScatter ? static_cast<size_t>(ranks_) : 1;
  const size_t piece = kStageBytes / blocks / kAlignment * kAlignment;
  const size_t all = std::min(call.bytes(), kMostBytes);
  for (size_t offset = 0; offset < all; offset += piece) {
    const size_t bytes = std::min(piece, all - offset);
    if (!AwaitAll()) return false;
    Stage(call, offset, bytes, piece);
    Tell();
    if (!AwaitAll()) return false;
    Collect(call, offset, bytes, piece);
    Tell();
  }
  return true;
}

void Exchange::Stage(const CollectiveCall& call, size_t offset, size_t bytes, size_t piece) {
  if (call.function == Function::kBroadcast && rank_ != call.root) return;
  const int blocks = call.function == Function::kReduceScatter ? ranks_ : 1;
  for (int block = 0; block < blocks; ++block) {
    char* target = segment_->stage(rank_) + static_cast<size_t>(block) * piece;
    std::memcpy(target, call.send + static_cast<size_t>(block) * call.bytes() + offset, bytes);
    if (call.factor) Scale(call.type, call.factor->address(), target, bytes / SizeOf(call.type));
  }
}

void Exchange::Collect(const CollectiveCall& call, size_t offset, size_t bytes, size_t piece) {
  switch (call.function) {
    case Function::kAllReduce:
      return Reduce(call, offset, bytes, 0);
    case Function::kReduce:
      if (rank_ == call.root) Reduce(call, offset, bytes, 0);
      return;
    case Function::kReduceScatter:
      return Reduce(call, offset, bytes, static_cast<size_t>(rank_) * piece);
    case Function::kBroadcast:
      std::memcpy(call.receive + offset, segment_->stage(call.root), bytes);
      return;
    case Function::kAllGather:
      for (int rank = 0; rank < ranks_; ++rank) {
        char* target = call.receive + static_cast<size_t>(rank) * call.bytes() + offset;
        std::memcpy(target, segment_->stage(rank), bytes);
      }
      return;
  }
}

void Exchange::Reduce(const CollectiveCall& call, size_t offset, size_t bytes,
                      size_t within_stage) {
  std::vector<const char*> inputs;
  for (int rank = 0; rank < ranks_; ++rank) inputs.push_back(segment_->stage(rank) + within_stage);
  nccl::Reduce(call.type, call.reduction, inputs, call.receive + offset, bytes / SizeOf(call.type));
}

}  // namespace simgpu::nccl
