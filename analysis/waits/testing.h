// SPDX-License-Identifier: Apache-2.0
// Builds the records of a process for the tests of the analysis: calls and what they submit, in µs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/waits/host_functions.h"
#include "analysis/waits/idle.h"
#include "analysis/waits/waits.h"
#include "collectors/cuda/calls.h"
#include "model/devices/gpu_records.h"
#include "model/devices/source_facts.h"

namespace syncline::testing {

inline constexpr uint32_t kContext = 1, kLegacyStream = 7, kStream = 13, kOtherStream = 14;
inline constexpr uint32_t kUnblocked = 15;  // a non-blocking stream

inline const WaitRules& Rules() { return *FactsOfSource(2).waits; }

// By CUDA's rules; calls get the roles that CUDA's collector gives to their names.
inline std::vector<Wait> FindWaits(GpuRecords& records) {
  for (SourceCall& call : records.calls) {
    const std::string& name = records.call_names()[call.name];
    const char* plain = name.c_str();
    const size_t bytes = cuda::PlainName(&plain);
    call.role = cuda::FactsOf(plain, bytes).role;
  }
  return syncline::FindWaits(records, Rules());
}
inline std::vector<Gap> FindGaps(const GpuRecords& records, const std::vector<Wait>& waits,
                                 uint64_t threshold_ns) {
  return syncline::FindGaps(records, Rules(), waits, FindHostFunctions(records, Rules(), waits),
                            threshold_ns);
}

// Each call gets the next correlation id, from 1 on; device work belongs to the last call.
class Process {
 public:
  Process() {
    records.clock_error_ns = 100;
    records.launch_blocking = LaunchBlocking::kOff;
    records.streams.push_back({kContext, kUnblocked, StreamKind::kNonBlocking});
  }

  uint32_t Call(std::string_view name, uint64_t begin_us, uint64_t end_us, uint16_t result = 0) {
    SourceCall call;
    call.begin_ns = begin_us * 1000;
    call.end_ns = end_us * 1000;
    call.correlation = ++correlation_;
    call.tid = tid;
    call.result = result;
    call.name = records.CallName(name);
    records.calls.push_back(call);
    return correlation_;
  }

  GpuOp& Op(uint64_t begin_us, uint64_t end_us, uint32_t stream = kStream) {
    GpuOp op;
    op.begin_ns = begin_us * 1000;
    op.end_ns = end_us * 1000;
    op.correlation = correlation_;
    op.context = context;
    op.stream = stream;
    op.device = static_cast<uint16_t>(context - kContext);
    return records.ops.emplace_back(op);
  }

  // A launch of 2 µs and its kernel.
  uint32_t Kernel(uint64_t launch_us, uint64_t begin_us, uint64_t end_us,
                  uint32_t stream = kStream) {
    const uint32_t correlation = Call("cudaLaunchKernel", launch_us, launch_us + 2);
    Op(begin_us, end_us, stream);
    return correlation;
  }

  void Copy(uint64_t begin_us, uint64_t end_us, MemoryKind from, MemoryKind to, uint64_t bytes,
            uint32_t stream = kLegacyStream) {
    GpuOp& op = Op(begin_us, end_us, stream);
    op.type = DeviceOpType::kCopy;
    op.from = from;
    op.to = to;
    op.bytes = bytes;
  }

  // A synchronisation record for the last call.
  void Sync(GpuSyncKind kind, uint32_t stream = kNoId, uint32_t event = kNoId) {
    records.syncs.push_back(
        {records.calls.back().begin_ns, correlation_, context, stream, event, kind});
  }
  void Record(uint32_t event, uint32_t stream) {
    records.events.push_back({correlation_, context, stream, event});
  }
  void Function(uint32_t stream) {
    records.host_functions.push_back({correlation_, context, stream});
  }
  void Memory(uint32_t device) { records.memory.push_back({correlation_, device}); }
  void Overhead(GpuOverheadKind kind, uint64_t begin_us, uint64_t end_us) {
    records.overheads.push_back({begin_us * 1000, end_us * 1000, correlation_, kind});
  }

  GpuRecords records;
  uint32_t tid = 100;
  uint32_t context = kContext;  // one for each device, from kContext on

 private:
  uint32_t correlation_ = 0;
};

}  // namespace syncline::testing
