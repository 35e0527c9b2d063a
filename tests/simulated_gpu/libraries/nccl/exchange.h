// SPDX-License-Identifier: Apache-2.0
// One rank's part in what a communicator's kernels do: meets the other ranks, and moves the bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/segment.h"
#include "tests/simulated_gpu/libraries/nccl/types.h"

namespace simgpu::nccl {

// What inputs are multiplied by before they are added. Device memory is read when the kernel runs.
struct Factor {
  uint64_t immediate = 0;
  const void* device = nullptr;
  const void* address() const { return device != nullptr ? device : &immediate; }
};

struct CollectiveCall {
  Function function;
  const char* send;
  char* receive;
  size_t count;  // elements of one rank's part
  DataType type;
  Reduction reduction;
  int root;
  std::optional<Factor> factor;
  size_t bytes() const { return count * SizeOf(type); }
};

struct Transfer {
  bool sends;
  int peer;
  char* buffer;
  size_t bytes;
};

// What one kernel does: either collectives or transfers.
struct Batch {
  std::vector<CollectiveCall> collectives;
  std::vector<Transfer> transfers;
};

// When this rank's kernel begins, and what it takes once all have come.
struct Arrival {
  uint64_t ready_ns, duration_ns;
};

struct Meeting {
  uint64_t last_ns = 0, longest_ns = 0;
  int last_rank = 0;
  bool mismatch = false;  // the ranks did not call the same
  uint64_t end_ns() const { return last_ns + longest_ns; }
  void Add(int rank, uint64_t ready_ns, uint64_t duration_ns);
};

// Used by one thread.
class Exchange {
 public:
  // `idle` is called now and then while it waits; `stop` makes every wait give up.
  Exchange(std::shared_ptr<Segment> segment, int rank, int ranks, const std::atomic<bool>& stop,
           std::function<void()> idle);
  // Empty where it gave up. Of messages larger than 64 MiB only the first 64 MiB are moved.
  std::optional<Meeting> Perform(const Batch& batch, const Arrival& arrival);
  // Waits for nothing but `stop`.
  void Hang();

 private:
  struct Course;  // of a transfer
  std::optional<Meeting> MeetAll(const Batch& batch, const Arrival& arrival);
  bool MoveAll(const CollectiveCall& call);
  void Stage(const CollectiveCall& call, size_t offset, size_t bytes, size_t piece);
  void Collect(const CollectiveCall& call, size_t offset, size_t bytes, size_t piece);
  void Reduce(const CollectiveCall& call, size_t offset, size_t bytes, size_t within_stage);
  std::optional<Meeting> MeetPairs(const Batch& batch, const Arrival& arrival);
  Course Begin(const Transfer& transfer);
  bool Progress(Course* course, const Arrival& arrival, Meeting* meeting);
  bool Fill(Course* course);
  bool Take(Course* course);
  void Tell();      // the next step has been done
  bool AwaitAll();  // until all ranks have done as many steps

  const std::shared_ptr<Segment> segment_;
  const int rank_, ranks_;
  const std::atomic<bool>& stop_;
  const std::function<void()> idle_;
  uint32_t step_ = 0;
  std::vector<uint32_t> sent_, received_;  // transfers, by peer
};

}  // namespace simgpu::nccl
