// SPDX-License-Identifier: Apache-2.0
// The NVTX ranges that NCCL puts around its calls: domain "NCCL", named as the function, with a
// payload of a schema of the call's own. Numbers, fields and texts as in NCCL's public sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simgpu::nccl {

// X(number of the schema, call, payload)
#define SIMGPU_NCCL_MARKED(X)             \
  X(0, CommInitRank, CommMarker)          \
  X(1, CommInitAll, DevicesMarker)        \
  X(2, CommDestroy, CommMarker)           \
  X(3, CommAbort, CommMarker)             \
  X(4, AllGather, MessageMarker)          \
  X(5, AllReduce, ReductionMarker)        \
  X(6, Broadcast, RootMarker)             \
  X(7, ReduceScatter, ReductionMarker)    \
  X(8, Reduce, RootReductionMarker)       \
  X(9, Send, PeerMarker)                  \
  X(10, Recv, PeerMarker)                 \
  X(11, CommInitRankConfig, CommMarker)   \
  X(12, CommInitRankScalable, CommMarker) \
  X(13, CommSplit, SplitMarker)           \
  X(14, CommFinalize, NumberMarker)       \
  X(15, CommShrink, ShrinkMarker)         \
  X(16, AlltoAll, MessageMarker)          \
  X(17, Gather, RootMarker)               \
  X(18, Scatter, RootMarker)
inline constexpr int kReductionSchema = 24;

#define SIMGPU_NCCL_MARKED_CALL(number, call, payload) call = number,
enum class Marked : int { SIMGPU_NCCL_MARKED(SIMGPU_NCCL_MARKED_CALL) };
#undef SIMGPU_NCCL_MARKED_CALL

struct CommMarker {
  uint64_t communicator;
  int ranks, rank, device;
};
struct DevicesMarker {
  uint64_t communicator;
  int devices;
};
struct SplitMarker {
  uint64_t communicator, parent;
  int ranks, rank, device, color, key;
};
struct ShrinkMarker {
  uint64_t communicator;
  int ranks, rank, device, excluded;
};
struct NumberMarker {
  uint64_t communicator;
};
struct MessageMarker {
  uint64_t communicator;
  size_t bytes;
};
struct ReductionMarker {
  uint64_t communicator;
  size_t bytes;
  int reduction;
};
struct RootMarker {
  uint64_t communicator;
  size_t bytes;
  int root;
};
struct RootReductionMarker {
  uint64_t communicator;
  size_t bytes;
  int root, reduction;
};
struct PeerMarker {
  uint64_t communicator;
  size_t bytes;
  int peer;
};

// A range of this thread.
class Range {
 public:
  explicit Range(const char* function) { Push(function, 0, 0, nullptr); }
  template <typename Payload>
  Range(const char* function, Marked call, const Payload& payload) {
    Push(function, Schema(call), sizeof payload, &payload);
  }
  // For calls that know their communicator when they end: the payload comes with the range's end.
  template <typename Payload>
  void AtEnd(Marked call, const Payload& payload) {
    schema_ = Schema(call);
    const auto* bytes = reinterpret_cast<const char*>(&payload);
    payload_.assign(bytes, bytes + sizeof payload);
  }
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  static uint64_t Schema(Marked call);  // registers all when it is first asked for one
  static void Push(const char* function, uint64_t schema, size_t bytes, const void* payload);

  uint64_t schema_ = 0;
  std::vector<char> payload_;
};

}  // namespace simgpu::nccl
