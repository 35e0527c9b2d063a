// SPDX-License-Identifier: Apache-2.0
// What was submitted to the devices so far: for each stream, context and event the
// operation that ends last.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/devices/gpu_records.h"

namespace syncline {

// Fed in the order of correlation ids, which is the order of submission. Answers are indices of
// GpuRecords::ops or kNoOp. Each step takes constant time, however many streams there are, but for
// TailEndingIn and LastOfContext, which look at each of them.
class SubmittedWork {
 public:
  // `default_queue`: as in WaitRules.
  SubmittedWork(const GpuRecords& records, uint32_t default_queue);

  void Add(uint32_t op);
  void Add(const GpuEventRecord& record);
  void Add(const GpuSync& stream_wait_event);
  void Add(const GpuHostFunction& function);

  // In the words of docs/waits.md: "tail(stream)" (for the legacy stream that is gather(context))
  // and "device work".
  uint32_t Tail(uint32_t context, uint32_t stream) const;
  uint32_t OfContext(uint32_t context) const;
  // Of each of the context's streams (kNoId: of all streams) the operations from the last one back
  // that ended after `after`, 64 at most.
  std::vector<uint32_t> LastOfContext(uint32_t context, uint64_t after) const;
  // The context is that of the call that names the event. Where the event was not recorded there,
  // it is one of another context: no vendor says that numbers of events are those of a context.
  uint32_t OfEvent(uint32_t context, uint32_t event) const;
  uint32_t OfAll() const { return all_; }

  // Functions of the host that nothing stands behind yet: the correlation of the last one, 0: none.
  uint32_t FunctionOf(uint32_t context, uint32_t stream) const;
  uint32_t FunctionOfContext(uint32_t context) const;
  uint32_t FunctionOfEvent(uint32_t context, uint32_t event) const;

  // For calls whose stream is not known: the latest of the context's tails that end in
  // (after, until]; if it has none, the latest of any context's.
  uint32_t TailEndingIn(uint32_t context, uint64_t after, uint64_t until) const;

  bool IsLegacy(uint32_t context, uint32_t stream) const;
  uint32_t DeviceOf(uint32_t context) const;  // kNoId: nothing ran there yet

  // The stream's queue at a time: how many operations had not started, how many launches those came
  // of (a graph's are one), and the first of them. Times of one stream must not go back.
  struct Queue {
    uint32_t length = 0;
    uint32_t launches = 0;
    uint32_t oldest = UINT32_MAX;
  };
  Queue QueueAt(uint32_t context, uint32_t stream, uint64_t at_ns);

 private:
  struct Stream {
    uint32_t function = 0;
    uint32_t context = 0;
    uint32_t latest = UINT32_MAX;
    bool gathered = true;
    bool legacy = false;
    size_t started = 0;  // so many of `ops` had started when last asked
    std::vector<uint32_t> ops;
    std::vector<uint32_t> launches;  // for each of `ops`: the number of its launch in this stream
  };
  struct Context {
    uint32_t latest = UINT32_MAX;
    uint32_t gathered = UINT32_MAX;
    uint32_t device = kNoId;
  };

  static uint64_t Key(uint32_t context, uint32_t id) { return uint64_t{context} << 32 | id; }
  Stream& StreamOf(uint32_t context, uint32_t stream);
  const Stream* Find(uint32_t context, uint32_t stream) const;
  uint32_t Later(uint32_t a, uint32_t b) const;
  void Note(Stream* stream, uint32_t op);
  template <typename Choose>
  uint32_t LastFunction(uint32_t context, const Choose& choose) const;

  const std::vector<GpuOp>& ops_;
  const uint32_t default_queue_;
  std::unordered_map<uint64_t, StreamKind> kinds_;
  std::unordered_map<uint64_t, Stream> streams_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::unordered_map<uint64_t, uint32_t> events_;
  std::unordered_map<uint32_t, uint32_t> latest_events_;  // by number alone
  std::unordered_map<uint64_t, uint32_t> functions_of_events_;
  bool has_functions_ = false;
  uint32_t all_ = UINT32_MAX;
};

}  // namespace syncline
