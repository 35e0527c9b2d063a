// SPDX-License-Identifier: Apache-2.0
// One function for each kind of activity record.
#include "collectors/cuda/activity_records.h"

#include <atomic>
#include <cstring>

#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/left_out_work.h"
#include "inject/core/emit_device.h"
#include "inject/core/options.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kMaxDurationNs =
    uint64_t{365} * 24 * 3600 *
    1000000000;  // nothing runs so long; what readers bear is the writer's matter
constexpr uint32_t kMaxDevices = 256;  // as readers take them: their numbers are rows

constexpr uint32_t kOverheadHasCorrelation = 22;  // CUPTI_API_VERSION of CUDA 12.4

std::atomic<uint32_t> g_version;
std::atomic<uint32_t> g_last_correlation;
std::atomic<uint64_t> g_operations;

MemoryKind KindOf(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return MemoryKind::kPageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return MemoryKind::kPinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return MemoryKind::kDevice;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return MemoryKind::kArray;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return MemoryKind::kManaged;
    default:
      return MemoryKind::kUnknown;
  }
}

// What all operations of a device have in common; the fields bear the same names in each struct.
template <typename Activity>
DeviceOpRecord OpOf(const Activity& activity, DeviceOpType type, bool async = false) {
  DeviceOpRecord record = NewDeviceOp(kSource, type, async);
  record.begin = activity.start;
  record.end = activity.end;
  record.correlation = activity.correlationId;
  record.device = activity.deviceId;
  record.context = activity.contextId;
  record.stream = activity.streamId;
  record.graph = activity.graphId;
  return record;
}

bool MakesSense(const DeviceOpRecord& op) {
  return op.end >= op.begin && op.end - op.begin <= kMaxDurationNs && op.device < kMaxDevices;
}

// Relaxed: hints for the flush at exit; buffers come one after the other.
void CountDelivered(const DeviceOpRecord& op) {
  g_operations.store(g_operations.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (op.correlation > g_last_correlation.load(std::memory_order_relaxed))
    g_last_correlation.store(op.correlation, std::memory_order_relaxed);
}

void Write(const DeviceOpRecord& op, const KernelDetails* kernel, const char* name) {
  if (op.begin == 0 || op.end == 0) return CountLoss(kLoss_gpu_unfinished);
  if (!MakesSense(op)) return CountLoss(kLoss_cupti_garbage);
  HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (IsLeftOut(log, op)) return CountDelivered(op);
  if (EmitDeviceOp(log, op, NameId(log, name), kernel)) CountDelivered(op);
}

void RecordKernel(const CUpti_ActivityKernel9& kernel) {
  KernelDetails details{};
  const int32_t sizes[6] = {kernel.gridX,  kernel.gridY,  kernel.gridZ,
                            kernel.blockX, kernel.blockY, kernel.blockZ};
  for (int i = 0; i < 3; ++i) {
    details.grid[i] = static_cast<uint32_t>(sizes[i]);
    details.block[i] = static_cast<uint32_t>(sizes[3 + i]);
  }
  details.static_shared = static_cast<uint32_t>(kernel.staticSharedMemory);
  details.dynamic_shared = static_cast<uint32_t>(kernel.dynamicSharedMemory);
  details.local = kernel.localMemoryPerThread;
  details.registers = kernel.registersPerThread;
  details.queued = kernel.queued;
  details.graph_node = kernel.graphNodeId;
  Write(OpOf(kernel, DeviceOpType::kKernel), &details, kernel.name);
}

template <typename Activity>
DeviceOpRecord CopyOf(const Activity& copy, DeviceOpType type) {
  DeviceOpRecord op = OpOf(copy, type, (copy.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0);
  op.bytes = copy.bytes;
  op.from = KindOf(copy.srcKind);
  op.to = KindOf(copy.dstKind);
  return op;
}

void RecordCopy(const CUpti_ActivityMemcpy5& copy) {
  Write(CopyOf(copy, DeviceOpType::kCopy), nullptr, nullptr);
}

void RecordPeerCopy(const CUpti_ActivityMemcpyPtoP4& copy) {
  DeviceOpRecord op = CopyOf(copy, DeviceOpType::kPeerCopy);
  op.source_device = copy.srcDeviceId;
  op.target_device = copy.dstDeviceId;
  Write(op, nullptr, nullptr);
}

void RecordSet(const CUpti_ActivityMemset4& set) {
  DeviceOpRecord op =
      OpOf(set, DeviceOpType::kSet, (set.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0);
  op.bytes = set.bytes;
  op.to = KindOf(set.memoryKind);
  Write(op, nullptr, nullptr);
}

void RecordGraph(const CUpti_ActivityGraphTrace& graph) {
  Write(OpOf(graph, DeviceOpType::kGraph), nullptr, nullptr);
}

void RecordDevice(const CUpti_ActivityDevice4& device) {
  DeviceFacts facts{};
  facts.memory = device.globalMemorySize;
  facts.major = device.computeCapabilityMajor;
  facts.minor = device.computeCapabilityMinor;
  facts.multiprocessors = device.numMultiprocessors;
  facts.warp = device.numThreadsPerWarp;
  facts.threads_per_block = device.maxThreadsPerBlock;
  facts.threads_per_multiprocessor = device.maxWarpsPerMultiprocessor * device.numThreadsPerWarp;
  facts.blocks_per_multiprocessor = device.maxBlocksPerMultiprocessor;
  facts.registers_per_block = device.maxRegistersPerBlock;
  facts.registers_per_multiprocessor = device.maxRegistersPerMultiprocessor;
  facts.shared_per_block = device.maxSharedMemoryPerBlock;
  facts.shared_per_multiprocessor = device.maxSharedMemoryPerMultiprocessor;
  const CUuuid& uuid = device.isMigEnabled != 0 ? device.migUuid : device.uuid;
  static_assert(sizeof(uuid) == sizeof(facts.uuid));
  std::memcpy(facts.uuid, &uuid, sizeof(uuid));
  constexpr size_t kMaxName = 255;
  char text[sizeof(facts) + kMaxName];
  std::memcpy(text, &facts, sizeof(facts));
  const size_t name = device.name == nullptr ? 0 : strnlen(device.name, kMaxName);
  if (name != 0) std::memcpy(text + sizeof(facts), device.name, name);
  HookScope scope;
  if (!scope) return;
  if (!EmitText(scope.log(), RecordKind::kDevice, 0, device.id, 0, kSource, text,
                sizeof(facts) + name))
    CountLoss(kLoss_definition);
}

void WriteNote(const DeviceEventRecord& note) {
  if (note.end < note.begin || note.end - note.begin > kMaxDurationNs || note.device >= kMaxDevices)
    return CountLoss(kLoss_cupti_garbage);
  EmitDeviceEvent(HookKind::kBegins, note);
}

DeviceEventRecord NoteOf(DeviceEventType type, uint32_t id = 0, uint32_t correlation = 0) {
  return NewDeviceEvent(kSource, type, id, correlation);
}

void RecordSync(const CUpti_ActivitySynchronization& sync) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kSync, sync.cudaEventId, sync.correlationId);
  note.begin = sync.start;
  note.end = sync.end;
  note.context = sync.contextId;
  note.stream = sync.streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : sync.streamId;
  note.detail = static_cast<uint8_t>(sync.type);  // DeviceSyncKind has CUPTI's numbers
  WriteNote(note);
}

void RecordEvent(const CUpti_ActivityCudaEvent& event) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kEvent, event.eventId, event.correlationId);
  note.context = event.contextId;
  note.stream = event.streamId;
  WriteNote(note);
}

DeviceOverheadKind OverheadOf(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return DeviceOverheadKind::kCompiler;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return DeviceOverheadKind::kBufferFlush;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return DeviceOverheadKind::kInstrumentation;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return DeviceOverheadKind::kResource;
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return DeviceOverheadKind::kModuleLoading;
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return DeviceOverheadKind::kFunctionLoading;
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return DeviceOverheadKind::kQueueFull;
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return DeviceOverheadKind::kBufferRequest;
    default:
      return DeviceOverheadKind::kOther;
  }
}

void RecordOverhead(const CUpti_ActivityOverhead& overhead) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kOverhead);
  note.begin = overhead.start;
  note.end = overhead.end;
  note.detail = static_cast<uint8_t>(OverheadOf(overhead.overheadKind));
  if (overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) note.tid = overhead.objectId.pt.threadId;
  if (g_version.load(std::memory_order_relaxed) >= kOverheadHasCorrelation)
    note.correlation = reinterpret_cast<const CUpti_ActivityOverhead3&>(overhead).correlationId;
  WriteNote(note);
}

void RecordStream(const CUpti_ActivityStream& stream) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kStream, 0, stream.correlationId);
  note.context = stream.contextId;
  note.stream = stream.streamId;
  // DeviceStreamKind has CUPTI's numbers.
  note.detail = stream.flag <= CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL
                    ? static_cast<uint8_t>(stream.flag)
                    : uint8_t{0};
  WriteNote(note);
}

void RecordContext(const CUpti_ActivityContext& context) {
  DeviceEventRecord note = NoteOf(DeviceEventType::kContext);
  note.device = context.deviceId;
  note.context = context.contextId;
  note.stream = context.nullStreamId;
  WriteNote(note);
}

void RecordAllocation(const CUpti_ActivityMemory3& memory) {
  const bool taken = memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  if (!taken && memory.memoryOperationType != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE) return;
  DeviceEventRecord note = NoteOf(DeviceEventType::kAllocation, 0, memory.correlationId);
  note.begin = note.end = memory.timestamp;
  note.address = memory.address;
  note.bytes = memory.bytes;
  note.device = memory.deviceId;
  note.context = memory.contextId;
  note.stream = memory.streamId;
  note.detail = taken ? 1 : 2;
  note.memory = KindOf(memory.memoryKind);
  WriteNote(note);
}

template <typename Activity>
const Activity& As(const CUpti_Activity& activity) {
  return reinterpret_cast<const Activity&>(activity);
}

}  // namespace

void RecordSettings() {
  const char* blocking = Environment("CUDA_LAUNCH_BLOCKING");
  const bool on = blocking != nullptr && *blocking != '\0' && std::strcmp(blocking, "0") != 0;
  DeviceEventRecord note = NoteOf(DeviceEventType::kSettings);
  note.detail = on ? kLaunchesBlock : 0;
  WriteNote(note);
}

void UseVersion(uint32_t version) { g_version.store(version, std::memory_order_relaxed); }

Delivered DeliveredSoFar() {
  return {g_last_correlation.load(std::memory_order_relaxed),
          g_operations.load(std::memory_order_relaxed)};
}

void RecordActivity(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return RecordKernel(As<CUpti_ActivityKernel9>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return RecordCopy(As<CUpti_ActivityMemcpy5>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return RecordPeerCopy(As<CUpti_ActivityMemcpyPtoP4>(activity));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return RecordSet(As<CUpti_ActivityMemset4>(activity));
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return RecordGraph(As<CUpti_ActivityGraphTrace>(activity));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return RecordSync(As<CUpti_ActivitySynchronization>(activity));
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
      return RecordEvent(As<CUpti_ActivityCudaEvent>(activity));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return RecordOverhead(As<CUpti_ActivityOverhead>(activity));
    case CUPTI_ACTIVITY_KIND_STREAM:
      return RecordStream(As<CUpti_ActivityStream>(activity));
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return RecordContext(As<CUpti_ActivityContext>(activity));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return RecordAllocation(As<CUpti_ActivityMemory3>(activity));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return RecordDevice(As<CUpti_ActivityDevice4>(activity));
    default:
      return;
  }
}

}  // namespace syncline::cuda
