// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of one communicator share: what each has told, and the bytes on their
// way.
//
// A memory file of the process that made the communicator's id; the others open it by
// /proc/PID/fd. It has no name, so nothing is left behind whatever dies. Pages that nobody wrote to
// cost nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace simgpu::nccl {

inline constexpr int kMostRanks = 64;
// Bytes of one rank, and of one sender and receiver, that are on their way at once.
inline constexpr size_t kStageBytes = 4 << 20, kPairBytes = 256 << 10;

// Where a segment is: the process and its descriptor.
struct SegmentName {
  uint64_t magic = 0;
  int32_t process = 0;
  int32_t descriptor = -1;
  uint64_t number = 0;  // the communicator's, the same in all ranks
};

// What one rank tells the others. Only that rank writes. Everything is written before the counter
// that goes with it, which is stored with release and loaded with acquire.
struct alignas(64) Line {
  // When it came to the collective of `step`, what it takes, and a hash of what was called.
  uint64_t ready_ns, duration_ns, signature;
  std::atomic<uint32_t> step;
  // Making communicators: of whom, and where the new segment is.
  std::atomic<uint32_t> making;
  int32_t process, color, key;
  SegmentName offer;
};

// What passes from one rank to another. Of two transfers in a row one may still be read while the
// other is written.
struct alignas(64) Pair {
  struct Side {
    std::atomic<uint32_t> begun;  // transfers
    struct {
      uint64_t ready_ns, duration_ns, bytes;
    } transfer[2];
  };
  Side sender, receiver;
  std::atomic<uint32_t> filled, taken;  // pieces, of all transfers
};

class Segment {
 public:
  // A name for `ranks` that are not known yet; *error is errno.
  static bool Make(SegmentName* name, int* error);
  static void Close(const SegmentName& name);  // in the process that made it
  // Null and errno in *error where it is not there.
  static std::shared_ptr<Segment> Map(const SegmentName& name, int ranks, int* error);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Line& line(int rank) { return lines_[rank]; }
  Pair& pair(int from, int to) { return pairs_[from * ranks_ + to]; }
  char* stage(int rank) { return stages_ + static_cast<size_t>(rank) * kStageBytes; }
  char* pair_stage(int from, int to) {
    return pair_stages_ + static_cast<size_t>(from * ranks_ + to) * kPairBytes;
  }

  // Wakes whoever waits in Await, in all processes: something was told.
  void Told();
  // Waits until `fulfilled`; false if `stop` was set before. `idle` is called now and then.
  bool Await(const std::function<bool()>& fulfilled, const std::atomic<bool>& stop,
             const std::function<void()>& idle);

 private:
  Segment(void* base, size_t bytes, int ranks);

  void* const base_;
  const size_t bytes_;
  const int ranks_;
  std::atomic<uint32_t>* changes_;  // counts what was told: the futex
  Line* lines_;
  Pair* pairs_;
  char* stages_;
  char* pair_stages_;
};

}  // namespace simgpu::nccl
