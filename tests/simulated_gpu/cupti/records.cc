// SPDX-License-Identifier: Apache-2.0
// Field by field: activity records from the engine's structs.
#include "tests/simulated_gpu/cupti/records.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/engine.h"
#include "tests/simulated_gpu/cupti/settings.h"

namespace simgpu::cupti {
namespace {

// Channels are the queues of the hardware: compute work of a device, then its copies. Our
// numbering, not NVIDIA's.
constexpr uint32_t kComputeChannel = 8, kCopyChannel = 16;

template <typename Record>
Record Make(CUpti_ActivityKind kind) {
  Record record;
  std::memset(static_cast<void*>(&record), 0,
              sizeof record);  // padding too: the bytes go into the client's buffer
  std::memcpy(static_cast<void*>(&record), &kind, sizeof kind);
  return record;
}

// What every device operation has.
template <typename Record>
void Place(const Operation& operation, Record* record) {
  record->deviceId = operation.device;
  record->contextId = operation.context_id;
  record->streamId = operation.stream_id;
  record->correlationId = operation.correlation;
}

template <typename Record>
void PlaceInGraph(const Operation& operation, Record* record) {
  record->graphId = operation.graph_exec_id;
  record->graphNodeId = operation.graph_node_id;
}

// What a client may read through a record as long as it likes: one per device, for ever.
void* QueueFullData(uint32_t device) {
  using Data = CUpti_ActivityOverheadCommandBufferFullData;
  static std::mutex& mutex = *new std::mutex;
  static std::map<uint32_t, Data>& all = *new std::map<uint32_t, Data>;
  std::lock_guard lock(mutex);
  Data& data = all[device];
  data.channelID = kComputeChannel + device;
  data.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  return &data;
}

uint32_t ProcessId() { return static_cast<uint32_t>(getpid()); }

}  // namespace

const char* Interned(const char* text) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& texts = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  return texts.emplace(text == nullptr ? "" : text).first->c_str();
}

uint32_t RecordThread(uint32_t thread, uint64_t pthread) {
  return Settings::Get().system_thread_ids ? thread : static_cast<uint32_t>(pthread);
}

KernelRecord MakeKernel(uint32_t kind, const Operation& operation) {
  auto record = Make<KernelRecord>(static_cast<CUpti_ActivityKind>(kind));
  CUpti_ActivityKernel10& kernel = record.known;
  Place(operation, &kernel);
  PlaceInGraph(operation, &kernel);
  kernel.registersPerThread = static_cast<uint16_t>(operation.registers);
  kernel.gridX = static_cast<int32_t>(operation.grid[0]);
  kernel.gridY = static_cast<int32_t>(operation.grid[1]);
  kernel.gridZ = static_cast<int32_t>(operation.grid[2]);
  kernel.blockX = static_cast<int32_t>(operation.block[0]);
  kernel.blockY = static_cast<int32_t>(operation.block[1]);
  kernel.blockZ = static_cast<int32_t>(operation.block[2]);
  kernel.clusterX = operation.cluster[0];
  kernel.clusterY = operation.cluster[1];
  kernel.clusterZ = operation.cluster[2];
  kernel.staticSharedMemory = static_cast<int32_t>(operation.static_shared);
  kernel.dynamicSharedMemory = static_cast<int32_t>(operation.dynamic_shared);
  kernel.sharedMemoryExecuted = operation.static_shared + operation.dynamic_shared;
  kernel.gridId = static_cast<int64_t>(operation.id);
  kernel.name = operation.name;
  kernel.launchType = operation.cooperative ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                                            : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  kernel.channelID = kComputeChannel + operation.device;
  kernel.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  record.priority = operation.priority;
  record.source_graph_id = operation.graph_id;
  record.source_graph_node_id = operation.source_graph_node_id;
  return record;
}

MemcpyRecord MakeMemcpy(const Operation& operation) {
  auto record = Make<MemcpyRecord>(CUPTI_ACTIVITY_KIND_MEMCPY);
  CUpti_ActivityMemcpy6& copy = record.known;
  Place(operation, &copy);
  PlaceInGraph(operation, &copy);
  copy.copyKind = static_cast<uint8_t>(operation.copy_kind);
  copy.srcKind = static_cast<uint8_t>(operation.source_kind);
  copy.dstKind = static_cast<uint8_t>(operation.target_kind);
  copy.flags = operation.is_async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
  copy.bytes = operation.bytes;
  copy.copyCount = 1;
  copy.channelID = kCopyChannel + operation.device;
  copy.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  record.source_graph_id = operation.graph_id;
  record.source_graph_node_id = operation.source_graph_node_id;
  return record;
}

CUpti_ActivityMemcpyPtoP4 MakePeerCopy(const Operation& operation) {
  auto copy = Make<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  Place(operation, &copy);
  PlaceInGraph(operation, &copy);
  copy.copyKind = static_cast<uint8_t>(operation.copy_kind);
  copy.srcKind = static_cast<uint8_t>(operation.source_kind);
  copy.dstKind = static_cast<uint8_t>(operation.target_kind);
  copy.flags = operation.is_async ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
  copy.bytes = operation.bytes;
  copy.srcDeviceId = operation.source_device;
  copy.srcContextId = operation.source_context_id;
  copy.dstDeviceId = operation.target_device;
  copy.dstContextId = operation.target_context_id;
  copy.channelID = kCopyChannel + operation.device;
  copy.channelType = CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY;
  return copy;
}

MemsetRecord MakeMemset(const Operation& operation) {
  auto record = Make<MemsetRecord>(CUPTI_ACTIVITY_KIND_MEMSET);
  CUpti_ActivityMemset4& memset = record.known;
  Place(operation, &memset);
  PlaceInGraph(operation, &memset);
  memset.value = operation.value;
  memset.bytes = operation.bytes;
  memset.flags = operation.is_async ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
  memset.memoryKind = static_cast<uint16_t>(operation.target_kind);
  memset.channelID = kComputeChannel + operation.device;
  memset.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
  record.source_graph_id = operation.graph_id;
  record.source_graph_node_id = operation.source_graph_node_id;
  return record;
}

CUpti_ActivityGraphTrace2 MakeGraphTrace(const Operation& operation) {
  auto graph = Make<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  Place(operation, &graph);
  graph.graphId = operation.graph_exec_id;
  graph.endDeviceId = operation.device;
  graph.endContextId = operation.context_id;
  return graph;
}

EventRecord MakeEvent(const Operation& operation) {
  auto record = Make<EventRecord>(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
  CUpti_ActivityCudaEvent2& event = record.known;
  Place(operation, &event);
  event.eventId = operation.event_id;
  event.cudaEventSyncId = operation.event_sync_id;
  record.graph_id = operation.graph_exec_id;
  record.source_graph_id = operation.graph_id;
  record.graph_node_id = operation.graph_node_id;
  record.source_graph_node_id = operation.source_graph_node_id;
  return record;
}

CUpti_ActivitySynchronization2 MakeSynchronization(const Synchronization& synchronization) {
  auto record = Make<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  const SynchronizationKind kind = synchronization.kind;
  const bool of_event = kind == SynchronizationKind::kEventSynchronize ||
                        kind == SynchronizationKind::kStreamWaitEvent;
  const bool of_stream = kind == SynchronizationKind::kStreamSynchronize ||
                         kind == SynchronizationKind::kStreamWaitEvent;
  record.type = static_cast<CUpti_ActivitySynchronizationType>(kind);
  record.correlationId = synchronization.correlation;
  record.contextId = synchronization.context_id;
  record.streamId = of_stream ? synchronization.stream_id : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  record.cudaEventId = of_event ? synchronization.event_id : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  // From 12.9 on the id that joins a record of the event is given only while those records are
  // made.
  const bool has_sync_id =
      of_event && (Presented() < 1209 || Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_CUDA_EVENT));
  record.cudaEventSyncId =
      has_sync_id ? synchronization.event_sync_id : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  record.returnValue = static_cast<uint32_t>(synchronization.result);
  return record;
}

CUpti_ActivityMemory4 MakeMemory(const MemoryEvent& event) {
  auto record = Make<CUpti_ActivityMemory4>(CUPTI_ACTIVITY_KIND_MEMORY2);
  record.memoryOperationType = static_cast<CUpti_ActivityMemoryOperationType>(event.action);
  record.memoryKind = static_cast<CUpti_ActivityMemoryKind>(event.kind);
  record.correlationId = event.correlation;
  record.address = event.address;
  record.bytes = event.bytes;
  record.processId = ProcessId();
  record.deviceId = event.device;
  record.contextId = event.context_id == 0 ? CUPTI_INVALID_CONTEXT_ID : event.context_id;
  record.streamId = event.is_async ? event.stream_id : CUPTI_INVALID_STREAM_ID;
  record.isAsync = event.is_async;
  if (event.pool == 0) return record;
  auto& pool = record.memoryPoolConfig;
  pool.memoryPoolType = event.pool_is_imported ? CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED
                                               : CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  pool.address = event.pool;
  pool.releaseThreshold = event.pool_release_threshold;
  pool.pool.size = event.pool_bytes;
  pool.utilizedSize = event.pool_used_bytes;
  return record;
}

CUpti_ActivityMemoryPool3 MakePool(const PoolEvent& event) {
  auto record = Make<CUpti_ActivityMemoryPool3>(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  record.memoryPoolOperationType = static_cast<CUpti_ActivityMemoryPoolOperationType>(event.action);
  record.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  record.correlationId = event.correlation;
  record.processId = ProcessId();
  record.deviceId = event.device;
  record.minBytesToKeep = event.least_bytes_to_keep;
  record.address = event.pool;
  record.size = event.bytes;
  record.releaseThreshold = event.release_threshold;
  record.utilizedSize = event.used_bytes;
  return record;
}

CUpti_ActivityModule MakeModule(const ModuleEvent& event) {
  auto record = Make<CUpti_ActivityModule>(CUPTI_ACTIVITY_KIND_MODULE);
  record.contextId = event.context_id;
  record.id = event.module_id;
  record.cubinSize = static_cast<uint32_t>(event.image_bytes);
  record.cubin = event.image;
  return record;
}

CUpti_ActivityOverhead3 MakeOverhead(const Overhead& overhead) {
  auto record = Make<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = ProcessId();
  record.objectId.pt.threadId = RecordThread(overhead.thread, overhead.pthread);
  record.correlationId = overhead.correlation;
  switch (overhead.kind) {
    case OverheadKind::kQueueFull:
      record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
      record.overheadData = QueueFullData(overhead.device);
      break;
    case OverheadKind::kLazyFunctionLoading:
      record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
      break;
    case OverheadKind::kModuleLoading:
      record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING;
      break;
  }
  return record;
}

void PutBufferRequestOverhead(uint64_t asked_ns) {
  const Engine* engine = FindEngine();
  if (engine == nullptr || Presented() < 1206) return;
  auto record = Make<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
  record.overheadKind = CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST;
  record.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  record.objectId.pt.processId = ProcessId();
  record.objectId.pt.threadId =
      RecordThread(static_cast<uint32_t>(syscall(SYS_gettid)), pthread_self());
  record.correlationId = engine->current_correlation();
  const RecordTimes times{0, true, asked_ns, engine->now()};
  Client::Get().Put(&record, &times);
}

DeviceRecord MakeDevice(const DeviceInfo& info) {
  auto record = Make<DeviceRecord>(CUPTI_ACTIVITY_KIND_DEVICE);
  CUpti_ActivityDevice5& device = record.known;
  device.flags = CUPTI_ACTIVITY_FLAG_DEVICE_CONCURRENT_KERNELS;
  device.globalMemoryBandwidth = info.memory_bandwidth_kb_s;
  device.globalMemorySize = info.total_memory;
  device.constantMemorySize = info.constant_bytes;
  device.l2CacheSize = info.l2_bytes;
  device.numThreadsPerWarp = 32;
  device.coreClockRate = info.core_clock_khz;
  device.numMemcpyEngines = 3;
  device.numMultiprocessors = info.multiprocessors;
  device.maxIPC = 4;
  device.maxWarpsPerMultiprocessor = info.warps_per_multiprocessor;
  device.maxBlocksPerMultiprocessor = info.blocks_per_multiprocessor;
  device.maxSharedMemoryPerMultiprocessor = info.shared_per_multiprocessor;
  device.maxRegistersPerMultiprocessor = info.registers_per_multiprocessor;
  device.maxRegistersPerBlock = info.registers_per_block;
  device.maxSharedMemoryPerBlock = info.shared_per_block;
  device.maxThreadsPerBlock = info.threads_per_block;
  device.maxBlockDimX = device.maxBlockDimY = 1024;
  device.maxBlockDimZ = 64;
  device.maxGridDimX = 0x7fffffff;
  device.maxGridDimY = device.maxGridDimZ = 65535;
  device.computeCapabilityMajor = info.compute_major;
  device.computeCapabilityMinor = info.compute_minor;
  device.id = info.ordinal;
  std::memcpy(&device.uuid, info.uuid, sizeof device.uuid);
  device.name = Interned(info.name);
  device.isCudaVisible = 1;
  record.tpcs = info.multiprocessors / 2;
  return record;
}

ContextRecord MakeContext(const Resource& resource) {
  auto record = Make<ContextRecord>(CUPTI_ACTIVITY_KIND_CONTEXT);
  CUpti_ActivityContext3& context = record.known;
  context.contextId = resource.id;
  context.deviceId = resource.device;
  context.computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
  context.nullStreamId = static_cast<uint16_t>(resource.default_stream);
  record.process_id = ProcessId();
  return record;
}

CUpti_ActivityStream MakeStream(const Resource& resource, uint32_t correlation) {
  constexpr uint32_t kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
  constexpr uint32_t kLegacy = 1;       // Resource::default_stream
  auto record = Make<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM);
  record.contextId = resource.context_id;
  record.streamId = resource.id;
  record.priority = static_cast<uint32_t>(resource.priority);
  record.correlationId = correlation;
  record.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  if ((resource.flags & kNonBlocking) != 0)
    record.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING;
  if (resource.default_stream == kLegacy) record.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL;
  return record;
}

CUpti_ActivityAPI MakeCall(const ApiCall& call, uint64_t start, uint64_t end) {
  const bool is_driver = call.domain == Domain::kDriver;
  auto record =
      Make<CUpti_ActivityAPI>(is_driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME);
  record.cbid = call.cbid;
  record.start = start;
  record.end = end;
  record.processId = ProcessId();
  record.threadId = RecordThread(call.thread, call.pthread);
  record.correlationId = call.correlation;
  record.returnValue = call.result == nullptr ? 0 : static_cast<uint32_t>(*call.result);
  return record;
}

CUpti_ActivityExternalCorrelation MakeExternalCorrelation(uint32_t kind, uint64_t id,
                                                          uint32_t correlation) {
  auto record = Make<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
  record.externalId = id;
  record.correlationId = correlation;
  return record;
}

GarbageRecords MakeGarbage(uint64_t number) {
  GarbageRecords garbage;
  std::memset(garbage.unknown, 0xA5, sizeof garbage.unknown);
  const uint32_t unknown_kind = kGarbageKind;
  std::memcpy(garbage.unknown, &unknown_kind, sizeof unknown_kind);
  garbage.kernel = Make<KernelRecord>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  CUpti_ActivityKernel10& kernel = garbage.kernel.known;
  kernel.start = ~0ull - number;  // far in the future, and it ends before it starts
  kernel.end = number;
  kernel.deviceId = kernel.contextId = kernel.streamId = ~0u;
  kernel.correlationId = ~0u;
  kernel.gridX = kernel.blockX = -1;
  kernel.name = nullptr;
  garbage.call = Make<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME);
  garbage.call.cbid = 99'999;
  garbage.call.start = ~0ull;
  return garbage;
}

}  // namespace simgpu::cupti
