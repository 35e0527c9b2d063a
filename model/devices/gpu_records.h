// SPDX-License-Identifier: Apache-2.0
// What a source recorded of its devices in one process, beside its calls; all times in nanoseconds
// on one line.
#pragma once

#include <cstdint>
#include <vector>

#include "inject/core/record.h"
#include "model/devices/call_records.h"
#include "model/devices/coverage_gaps.h"
#include "model/devices/device_survey.h"
#include "model/devices/op_label.h"

namespace syncline {

struct GpuOp {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t bytes = 0;
  uint32_t correlation = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t kernel = 0;  // a number that kernels of one function share; 0: unknown
  uint16_t device = 0;
  DeviceOpType type = DeviceOpType::kKernel;
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
};
static_assert(sizeof(GpuOp) == 48);

// With what is needed to sort them.
inline constexpr uint64_t kBytesPerRecord = 64;

enum class GpuSyncKind : uint8_t { kEvent, kStreamWaitEvent, kStream, kContext };

// What a synchronising call (or query) named, and when the vendor began to wait: up to microseconds
// of profiling later than the call's entry. The call has the times that are reported.
struct GpuSync {
  uint64_t begin_ns = 0;
  uint32_t correlation = 0;
  uint32_t context = 0;
  uint32_t stream = kNoId;
  uint32_t event = kNoId;
  GpuSyncKind kind = GpuSyncKind::kContext;
};

struct GpuEventRecord {
  uint32_t correlation = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t event = 0;
};

// A function of the host was put into a stream: it holds up what is submitted behind it. Nobody
// records when it ran.
struct GpuHostFunction {
  uint32_t correlation = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
};

enum class GpuOverheadKind : uint8_t { kQueueFull, kLoading };  // kLoading: of functions or modules

struct GpuOverhead {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t correlation = 0;
  GpuOverheadKind kind = GpuOverheadKind::kQueueFull;
};

// On which device a call took or gave back memory; without it, freeing is ascribed to the device
// whose work ended meanwhile.
struct GpuMemoryEvent {
  uint32_t correlation = 0;
  uint32_t device = 0;
};

enum class StreamKind : uint8_t { kBlocking, kNonBlocking, kLegacy, kPerThread };

struct GpuStreamFacts {
  uint32_t context = 0;
  uint32_t stream = 0;
  StreamKind kind = StreamKind::kBlocking;
};

// Whether launches wait for their work in this process (CUDA_LAUNCH_BLOCKING), where it is known.
enum class LaunchBlocking : uint8_t { kUnknown, kOff, kOn };

// Filled in any order; FindWaits and FindGaps sort it. Streams without facts are blocking ones,
// except that of the number that the source gives the default queue of each context.
struct GpuRecords : CallRecords {
  std::vector<GpuOp> ops;
  std::vector<uint32_t> ops_by_device;  // indices, by device and begin; FindWaits fills it in
  std::vector<GpuSync> syncs;
  std::vector<GpuEventRecord> events;
  std::vector<GpuHostFunction> host_functions;  // empty: none, or their streams are not known
  std::vector<GpuOverhead> overheads;
  std::vector<GpuMemoryEvent> memory;
  std::vector<GpuStreamFacts> streams;
  std::vector<CoverageGap> unseen;   // when not all device work was recorded, or none
  bool device_records_lost = false;  // some operations may be missing, nobody knows which
  LaunchBlocking launch_blocking = LaunchBlocking::kUnknown;
  uint64_t clock_error_ns = 1000;  // of device times against the host's
  uint64_t end_ns = 0;             // when the process ended, 0: unknown
};

}  // namespace syncline
