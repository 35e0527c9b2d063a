// SPDX-License-Identifier: Apache-2.0
// Makes spool files from records, of any length, for tests, fuzzers and benchmarks.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/payload_schema.h"
#include "inject/core/spool_format.h"

namespace syncline::testing {

// The sources of a batch's records where nothing is said: CUDA, and NVTX for ranges. Every build
// has their facts.
inline constexpr Source kSource = 2;
inline constexpr Source kRangeSource = 1;

// The records of one ring, in order, as a thread would write them.
class RecordBatch {
 public:
  RecordBatch& Stream(uint64_t stream, uint32_t tid, bool main = false, uint32_t part = 0,
                      uint64_t ticks = 0);
  RecordBatch& StreamEnd(uint64_t stream, uint32_t tid, uint64_t ticks = 0);
  RecordBatch& Text(RecordKind kind, uint32_t id, uint64_t key, std::string_view text,
                    uint16_t domain = 0, uint16_t type = 0);
  // `call`: the vendor's number of the call that bears it.
  RecordBatch& Name(uint32_t id, std::string_view text, uint16_t call = 0) {
    return Text(RecordKind::kName, id, 0, text, 0, call);
  }
  RecordBatch& Domain(uint32_t id, uint64_t key, std::string_view text) {
    return Text(RecordKind::kDomain, id, key, text, 0, kRangeSource);
  }
  RecordBatch& Range(uint32_t name, uint64_t begin, uint64_t end, uint16_t domain = 0,
                     uint8_t flags = 0, const RangeAttributes* attributes = nullptr);
  // Any kind with a RangeRecord. `id`: of start/end ranges.
  RecordBatch& Raw(RecordKind kind, uint32_t name, uint64_t begin, uint64_t id, uint16_t domain,
                   uint16_t lane, uint8_t flags, const RangeAttributes* attributes,
                   uint16_t depth = 0);
  RecordBatch& Start(uint32_t name, uint64_t begin, uint64_t id, uint16_t lane = 0) {
    return Raw(RecordKind::kRangeStart, name, begin, id, 0, lane, 0, nullptr);
  }
  RecordBatch& End(uint64_t end, uint64_t id) {
    return Raw(RecordKind::kRangeEnd, 0, end, id, 0, 0, 0, nullptr);
  }
  RecordBatch& Mark(uint32_t name, uint64_t at, const RangeAttributes* attributes = nullptr) {
    return Raw(RecordKind::kMark, name, at, at, 0, 0, 0, attributes);
  }
  // A piece of Python code. The table is of the version's kind.
  RecordBatch& Code(uint32_t id, uint32_t first_line, std::string_view file,
                    std::string_view function, std::string_view table, uint16_t python,
                    uint16_t flags = 0);
  RecordBatch& Module(uint32_t id, std::string_view build_id, std::string_view path);
  // `lent`: with kStackLent, how many of the last frames are.
  RecordBatch& Stack(uint32_t id, std::span<const StackFrame> frames, uint16_t flags = 0,
                     uint64_t lent = 0);
  // Kind and slots are set, and the source where it is 0; flags and ids are as given.
  RecordBatch& Call(const CallRecord& call);
  RecordBatch& CallWithStack(const CallRecord& call, uint32_t stack, uint32_t queries = 0);
  RecordBatch& DeviceOp(const DeviceOpRecord& op, const KernelDetails* kernel = nullptr);
  RecordBatch& DeviceEvent(const DeviceEventRecord& note);
  // `original`: 0: it is no clone. `stack`: 0: none.
  RecordBatch& GraphNode(uint64_t node, uint64_t original, std::span<const NodeRange> ranges = {},
                         uint32_t stack = 0);
  // Of which `source` 0 is the builder's.
  RecordBatch& Memory(const MemoryRecord& record);
  RecordBatch& Coverage(uint64_t ticks, GpuCoverage coverage, uint32_t why,
                        Source source = kSource);
  RecordBatch& DeviceClock(uint64_t before, uint64_t device_ns, uint64_t after,
                           Source source = kSource, uint32_t number = 0);
  // `change`: how often the gate had changed. `reasons`: those that hold now.
  RecordBatch& Gate(GateEvent event, uint64_t ticks, uint32_t change, uint32_t tid,
                    uint8_t reasons = 0, uint32_t step = 0);
  RecordBatch& Device(uint64_t device, const DeviceFacts& facts, std::string_view name,
                      Source source = kSource);
  RecordBatch& Pad(uint16_t slots);

  const std::vector<char>& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  char* Room(size_t bytes);
  void Put(RecordKind kind, uint8_t flags, const void* record, size_t bytes);
  std::vector<char> bytes_;
};

struct SchemaField {
  std::string name;
  uint64_t type;
  uint64_t offset = 0;
  uint64_t detail = 0;
  uint32_t flags = 0;
};

// The bytes of a kSchema record.
std::string SerialiseSchema(std::string_view name, uint64_t size,
                            std::span<const SchemaField> fields);

// A call that returned; success where nothing is said.
CallRecord PlausibleCall(CallRole role, uint32_t name, uint64_t begin, uint64_t end,
                         uint32_t correlation, uint16_t result = 0, uint8_t flags = 0);
// What a GPU did, in context 1 of device 0; times are of a device clock.
DeviceOpRecord PlausibleOp(DeviceOpType type, uint32_t stream, uint32_t correlation, uint64_t begin,
                           uint64_t end);
// 4 x 2 x 1 blocks of 128 x 1 x 1 threads.
KernelDetails PlausibleKernel();
// 132 multiprocessors, warps of 32 threads.
DeviceFacts PlausibleDevice();

// Facts of a plausible process: clock kMonotonic, started at kStartTicks (nanoseconds), REALTIME
// kStartRealtime.
inline constexpr uint64_t kStartTicks = 5000000000000;
inline constexpr uint64_t kStartRealtime = 1780000123000000000;
SpoolProcess PlausibleProcess(int32_t pid = 4210, int32_t rank = 0, int32_t world_size = 1);

GateRecord PlausibleGate(GateEvent event, uint64_t ticks, uint32_t change, uint32_t tid,
                         uint8_t reasons = 0, uint32_t step = 0);

// An anchor at `ticks` of that process's clock.
Anchor PlausibleAnchor(uint64_t ticks);

// Blocks in memory; Save writes a file. Appending is all that a consumer does, so a prefix is what
// a crash leaves.
class SpoolBuilder {
 public:
  SpoolBuilder& Block(BlockType type, uint32_t ring, const void* payload, size_t bytes);
  SpoolBuilder& Process(const SpoolProcess& process) {
    return Block(BlockType::kProcess, 0, &process, sizeof(process));
  }
  SpoolBuilder& Records(uint32_t ring, const RecordBatch& batch) {
    return Block(BlockType::kRecords, ring, batch.bytes().data(), batch.bytes().size());
  }
  SpoolBuilder& Anchors(std::span<const Anchor> anchors) {
    return Block(BlockType::kAnchor, 0, anchors.data(), anchors.size_bytes());
  }
  SpoolBuilder& Open(uint32_t ring, uint64_t stream, uint32_t tid,
                     std::span<const OpenRange> ranges);
  SpoolBuilder& OpenCall(uint32_t ring, uint64_t stream, uint32_t tid, const CallRecord& call,
                         uint32_t stack = 0);
  SpoolBuilder& Counters(const SpoolCounters& counters) {
    return Block(BlockType::kCounters, 0, &counters, sizeof(counters));
  }
  SpoolBuilder& Gate(const SpoolGate& gate) {
    return Block(BlockType::kGate, 0, &gate, sizeof(gate));
  }
  SpoolBuilder& Log(std::string_view text) {
    return Block(BlockType::kLog, 0, text.data(), text.size());
  }
  SpoolBuilder& End(uint64_t ticks, bool status_known = false, int32_t wait_status = 0);

  // Leaves out the next block's number, as if it had been lost.
  SpoolBuilder& SkipSequence() {
    ++sequence_;
    return *this;
  }

  std::string& bytes() { return bytes_; }
  // Returns `path`; aborts if it cannot be written.
  const std::string& Save(const std::string& path) const;
  // Appends what was collected to an open file and forgets it: for files larger than memory.
  void Drain(std::FILE* file);

 private:
  std::string bytes_;
  uint32_t sequence_ = 0;
};

// Names of an iterating program, `threads` threads, nested ranges with gaps between a µs and some
// ms; `ranges` in all. With `attributes` each range has category and colour, as Python's package
// writes them. With `gpu` the main thread launches kernels. Returns the file's bytes.
uint64_t WriteRealisticSpool(const std::string& path, uint64_t ranges, int threads, bool attributes,
                             bool unique_names, bool gpu = false);

// A training loop on a GPU: a call and an operation for each launch, ranges around every five and
// every 500 of them, a wait after each 100. Each of several threads has a stream of its own.
void WriteTrainingSpool(const std::string& path, uint64_t launches, uint32_t threads = 1);

}  // namespace syncline::testing
