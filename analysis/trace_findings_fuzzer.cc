// SPDX-License-Identifier: Apache-2.0
// Any events, in any order, as those of a trace: findings are made of them, and sums add up.
#include "analysis/trace_findings.h"

#include <cstring>

#include "model/testing/fuzz.h"

namespace syncline::testing {
namespace {

constexpr size_t kBytes = 16;  // of an event

TracedEvent EventOf(const uint8_t* bytes) {
  static constexpr const char* kNames[] = {"cudaMemcpy",      "cudaStreamSynchronize",
                                           "cudaMalloc",      "step 1",
                                           "memory of pid 1", "ncclDevKernel_AllReduce_Sum"};
  static constexpr const char* kClasses[] = {"stream", "query_spin", "allocation", "none"};
  static constexpr const char* kCauses[] = {"host waited", "host busy", "copy", "nothing left"};
  TracedEvent event;
  event.kind = static_cast<TracedKind>(bytes[0] % 11);
  event.name = event.call = kNames[bytes[1] % 6];
  event.pid = bytes[2] % 3;
  event.tid = event.thread = bytes[3] % 3;
  event.begin_ns = uint64_t{bytes[4]} * 1000 + bytes[5];
  event.end_ns = event.begin_ns + uint64_t{bytes[6]} * 100;
  event.source = "cuda";
  event.category = "user_annotation";
  if (bytes[7] != 0)
    event.correlation = kFirstTraceCorrelation + bytes[7] % 16 + (uint64_t{bytes[8] % 3u} << 32);
  if (event.kind == TracedKind::kOp && !event.correlation) event.correlation = bytes[7];
  event.op = static_cast<DeviceOpType>(1 + bytes[9] % 5);
  event.to = static_cast<MemoryKind>(bytes[9] / 5 % 6);
  event.device = bytes[10] % 2;
  event.stream = 7 + bytes[10] / 2 % 2;
  event.bytes = bytes[11];
  if (bytes[12] % 2 != 0) event.event = bytes[12] % 8;
  event.recorded_by = kFirstTraceCorrelation + bytes[13] % 16;
  event.recorded_in = 7 + bytes[13] % 2;
  if (bytes[14] % 2 != 0) event.waited_for = kFirstTraceCorrelation + bytes[14] % 16;
  event.waited_for_op = bytes[14] % 4 == 3;
  if (bytes[15] % 2 != 0) event.already_done = bytes[15] % 4 == 3;
  event.wait_class = kClasses[bytes[15] / 4 % 4];
  event.cause = kCauses[bytes[15] / 4 % 4];
  if (bytes[15] > 200) event.communicator = "0x5";
  return event;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  std::string seed;
  for (uint8_t i = 0; i < 66; ++i) {
    for (uint8_t byte = 0; byte < kBytes; ++byte)
      seed.push_back(static_cast<char>(byte == 0 ? i : byte == 4 ? 3 * i : i * byte + byte));
  }
  return {seed};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  syncline::TraceFindings made(size % 3 == 0 ? 8 : 1000);
  made.OnFacts({});
  uint64_t kernels = 0;
  for (size_t at = 0; at + syncline::testing::kBytes <= size; at += syncline::testing::kBytes) {
    const syncline::TracedEvent event = syncline::testing::EventOf(data + at);
    const bool is_kernel =
        event.kind == syncline::TracedKind::kOp &&
        (event.op == syncline::DeviceOpType::kKernel || event.op == syncline::DeviceOpType::kGraph);
    kernels += is_kernel ? 1 : 0;
    made.OnEvent(event);
  }
  made.Finish();
  for (const auto& [key, sums] : made.findings.kernels) kernels -= sums.count;
  Require(kernels == 0, "each kernel is in a sum");
  for (const syncline::DeviceUse& use : made.part.devices)
    Require(use.busy_ns <= use.end_ns - use.begin_ns, "a device works within its life");
  return 0;
}
